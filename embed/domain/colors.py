"""The colors derived from a page's accent, so that every choice stays readable, and tags' colors.

A color is six hex digits. Contrast is WCAG's (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
Where an accent is too light or too dark for text, black or white is mixed in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

MIN_TEXT_CONTRAST = 4.5
MIN_SHAPE_CONTRAST = 3.0  # of anything but text, such as a button's surface
DEFAULT_ACCENT = "3e63dd"  # --accent in static/look/look.css

BLACK, WHITE = "000000", "ffffff"
# From static/look/look.css: n1, n3, and, of the neutrals' na3 on a ground, the one nearest to the
# text in lightness.
LIGHT_GROUNDS = ("fcfcfd", "f0f0f3", "ededee")
DARK_GROUNDS = ("111113", "212225", "29292b")

# Of tags, in the light theme, by the beginnings of their names, as static/look/look.css has them.
_TAG_COLORS = {
    ("red",): "e5484d",
    ("rose", "crimson"): "e93d82",
    ("orange",): "f76b15",
    ("amber", "yellow", "gold"): "ffc53d",
    ("lime", "olive"): "99d52a",
    ("green", "emerald"): "30a46c",
    ("teal",): "12a594",
    ("cyan", "sky", "aqua"): "00a2c7",
    ("blue", "navy"): "0090ff",
    ("indigo", "violet", "purple"): "8e4ec6",
    ("pink", "magenta", "fuchsia"): "d6409f",
    ("brown",): "ad7f58",
    ("black",): "000000",
    ("white",): "8b8d98",
}
_OTHER_TAG_COLOR = "60646c"

_SEEN_CONTRAST = 1.08  # of two shades beside each other
_PALE = "f9f9fb"  # so that the tint of white shows, too
_MOST_STEPS = 64  # between an accent and black or white


@dataclass(frozen=True, slots=True)
class Shades:
    """The colors that depend on the theme."""

    text: str  # on every ground and on `soft`; also for the focus ring
    soft: str  # a tint, behind text
    edge: str | None  # around a filled button that's hard to see on the ground


@dataclass(frozen=True, slots=True)
class AccentColors:
    fill: str  # the accent itself, for primary buttons
    hover: str
    on_fill: str  # black or white
    light: Shades
    dark: Shades


def derive_colors(accent: str) -> AccentColors:
    on_fill = max(WHITE, BLACK, key=lambda color: compute_contrast(color, accent))
    return AccentColors(
        fill=accent,
        hover=_make_hover(accent, on_fill),
        on_fill=on_fill,
        light=_derive_shades(accent, LIGHT_GROUNDS, BLACK, _mix(accent, _PALE, 0.95)),
        dark=_derive_shades(accent, DARK_GROUNDS, WHITE, _mix(accent, DARK_GROUNDS[1], 0.84)),
    )


def find_tag_color(name: str) -> str:
    """Return the color of a tag whose owner calls it `name`, such as blue-500."""
    found = (color for names, color in _TAG_COLORS.items() if name.startswith(names))
    return next(found, _OTHER_TAG_COLOR)


def compute_contrast(one: str, other: str) -> float:
    """Return the contrast of two colors, from 1 to 21."""
    darker, lighter = sorted((_compute_luminance(one), _compute_luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _derive_shades(accent: str, grounds: Sequence[str], end: str, soft: str) -> Shades:
    """Return the shades of a theme; `end` is the color that stands out most on its grounds."""

    def is_readable(color: str) -> bool:
        return all(compute_contrast(color, each) >= MIN_TEXT_CONTRAST for each in (*grounds, soft))

    steps = (_mix(accent, end, step / _MOST_STEPS) for step in range(_MOST_STEPS + 1))
    text = next(filter(is_readable, steps))
    of_fill = min(compute_contrast(accent, each) for each in grounds[:2])  # no button is on na3
    return Shades(text, soft, text if of_fill < MIN_SHAPE_CONTRAST else None)


def _make_hover(accent: str, on_fill: str) -> str:
    """Return a shade that can be told from the accent, with more contrast to its text if any is."""
    away, near = (BLACK, WHITE) if on_fill == WHITE else (WHITE, BLACK)
    shades = (_mix(accent, end, share) for end in (away, near) for share in (0.12, 0.24))
    return next(shade for shade in shades if compute_contrast(accent, shade) > _SEEN_CONTRAST)


def _mix(color: str, other: str, share: float) -> str:
    """Return a color with a share of another, from 0 to 1."""
    pairs = zip(bytes.fromhex(color), bytes.fromhex(other), strict=True)
    return bytes(round(one + (another - one) * share) for one, another in pairs).hex()


@lru_cache(maxsize=4096)
def _compute_luminance(color: str) -> float:
    red, green, blue = (_LINEAR[part] for part in bytes.fromhex(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


_LINEAR = tuple(
    part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    for part in (value / 255 for value in range(256))
)
