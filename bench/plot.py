"""Bars of CPU as an SVG picture, readable in light and dark."""

from collections.abc import Sequence
from html import escape

from bench.tables import Table

WIDTH, LABELS, VALUES = 760, 300, 90
ROW, BAR, GROUP = 24, 14, 46
OTHERS = ("bare Flask", "Isso", "datasette")
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
.value { fill: #59636e; }
.other { fill: #8c959f; }
.own { fill: #0969da; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .value { fill: #9198a1; }
  .other { fill: #656c76; }
  .own { fill: #4493f8; }
}
"""


def draw(tables: Sequence[Table]) -> str:
    """Return one picture of all tables that have something to draw, each on a scale of its own."""
    parts: list[str] = []
    y = 0
    for table in tables:
        if not table.cpu_us_by_name:
            continue
        y += GROUP
        parts.append(f'<text class="title" x="0" y="{y - ROW / 2}">{escape(table.title)}</text>')
        longest = max(table.cpu_us_by_name.values())
        for name, cpu_us in table.cpu_us_by_name.items():
            parts += _draw_bar(name, cpu_us, cpu_us / longest, y)
            y += ROW
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img"'
        f' aria-label="CPU by request"><style>{_STYLE}</style>'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def _draw_bar(name: str, cpu_us: float, part: float, y: int) -> list[str]:
    length = max(1.0, part * (WIDTH - LABELS - VALUES))
    baseline = y + BAR - 3
    kind = "other" if name.startswith(OTHERS) else "own"
    return [
        f'<text x="{LABELS - 10}" y="{baseline}" text-anchor="end">{escape(name)}</text>',
        f'<rect class="{kind}" x="{LABELS}" y="{y}" width="{length:.1f}" height="{BAR}" rx="2"/>',
        f'<text class="value" x="{LABELS + length + 8:.1f}" y="{baseline}">{cpu_us:,.0f} µs</text>',
    ]
