"""Balances as small lines: the path data of an SVG of VIEW_BOX."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from embed.balances.history import BalanceChange, Point

_WIDTH, _HEIGHT, _MARGIN = 120, 32, 2  # the margin is for half of the stroke
VIEW_BOX = f"0 0 {_WIDTH} {_HEIGHT}"

_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A line, and what it shows in words."""

    path: str
    span: timedelta  # from its first point to the last, in whole days or hours
    change: Decimal  # over that span, in whole tokens


def draw_sparklines(changes: Mapping[str, BalanceChange], now: datetime) -> dict[str, Sparkline]:
    """Draw lines that are shown together: a point in time is at the same place in all of them."""
    if not changes:
        return {}
    since = min(change.line[0].observed_at for change in changes.values())
    return {
        name: Sparkline(
            draw_path(change.line, since, now),
            _round_span(change.line[-1].observed_at - change.line[0].observed_at),
            change.line_change,
        )
        for name, change in changes.items()
    }


def draw_path(line: Sequence[Point], since: datetime, until: datetime) -> str:
    """Return the path data of a line; a single point becomes a dot.

    The line fills the height, or is in the middle if nothing has changed. Days that are missing
    are bridged by a straight line.
    """
    low = min(point.amount for point in line)
    spread = max(point.amount for point in line) - low
    points = [
        (
            _scale((point.observed_at - since) / (until - since) if until > since else 1.0, _WIDTH),
            _scale(1 - float((point.amount - low) / spread) if spread else 0.5, _HEIGHT),
        )
        for point in line
    ]
    path = "M" + " ".join(f"{x} {y}" for x, y in points)
    return f"{path}h0" if len(points) == 1 else path


def _scale(share: float, size: int) -> int:
    return round(_MARGIN + share * (size - 2 * _MARGIN))


def _round_span(span: timedelta) -> timedelta:
    unit = _DAY if span >= _DAY else _HOUR
    return max(1, round(span / unit)) * unit
