"""Drawings as SVG path data: balances as lines, and small pictures of addresses.

The small lines in rows are meant to be compared, so all of them show the same 30 days and start at
a balance of 0: half as high is half as much, and a loss of a thousandth looks like none. A chart
has its own scale, which is written beside it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from embed.balances.history import LINE_SPAN, BalanceChange, Point

_MARGIN = 2  # for half of the stroke
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)
_CLOSEST = _DAY / 2  # earlier observations closer to the newest are left out: they'd draw a step


class Box(NamedTuple):
    width: int
    height: int


_ROW = Box(120, 32)
CHART = Box(600, 108)


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A line, and what it shows in words."""

    path: str
    span: timedelta  # from its first point to the last, in whole days or hours
    change: Decimal  # over that span, in whole tokens


@dataclass(frozen=True, slots=True)
class Chart:
    """A line of the last 30 days between two round figures, the lower of which may be 0."""

    path: str
    since: datetime
    until: datetime
    low: Decimal
    high: Decimal

    @property
    def scale(self) -> tuple[Decimal, Decimal, Decimal]:
        return self.high, (self.low + self.high) / 2, self.low

    @property
    def half_way(self) -> datetime:
        return self.since + (self.until - self.since) / 2


def draw_sparklines(changes: Mapping[str, BalanceChange], now: datetime) -> dict[str, Sparkline]:
    return {
        name: Sparkline(
            draw_path(change.line, now, Decimal(0), max(point.amount for point in change.line)),
            _round_span(change.line[-1].observed_at - change.line[0].observed_at),
            change.line_change,
        )
        for name, change in changes.items()
    }


def draw_chart(line: Sequence[Point], now: datetime) -> Chart:
    high = max(point.amount for point in line)
    low = min(point.amount for point in line)
    low, high = _round_scale(low, high)
    return Chart(draw_path(line, now, low, high, CHART), now - LINE_SPAN, now, low, high)


def _round_scale(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Return two figures around these that are two round steps apart."""
    half = (high - low if high > low else high or Decimal(1)) / 2
    unit = Decimal(1).scaleb(half.adjusted())
    for step in (unit * one for one in (1, 2, Decimal("2.5"), 5, 10, 20)):
        bottom = low // step * step if high > low else Decimal(0)
        if bottom + 2 * step >= high:
            break
    return bottom, bottom + 2 * step


def draw_path(
    line: Sequence[Point], now: datetime, low: Decimal, high: Decimal, box: Box = _ROW
) -> str:
    """Return the path data of a line over LINE_SPAN, `low` at the bottom and `high` at the top.

    Missing days are bridged by a straight line.
    """
    *earlier, newest = line
    apart = [point for point in earlier if newest.observed_at - point.observed_at >= _CLOSEST]
    points = [
        (
            _scale(1 - (now - point.observed_at) / LINE_SPAN, box.width),
            _scale(1 - float((point.amount - low) / (high - low)) if high > low else 1, box.height),
        )
        for point in (*(apart or earlier[:1]), newest)
    ]
    return "M" + " ".join(f"{x:g} {y:g}" for x, y in points)


def _scale(part: float, size: int) -> float:
    return round(_MARGIN + part * (size - 2 * _MARGIN), 1)


def _round_span(span: timedelta) -> timedelta:
    unit = _DAY if span >= _DAY else _HOUR
    return max(1, round(span / unit)) * unit


# Pictures of addresses

_SIDE = 5
_HALF = (_SIDE + 1) // 2
_MIDDLE = "M2 2h1v1h-1z"  # if nothing else is drawn
# What each byte may draw, mirrored.
_SQUARES = [
    "".join(f"M{column} {y}h1v1h-1z" for column in sorted({x, _SIDE - 1 - x}))
    for x in range(_HALF)
    for y in range(_SIDE)
]


class Avatar(NamedTuple):
    """The path data of squares in a grid of 5 by 5, mirrored, and their color."""

    path: str
    fill: str


@lru_cache(maxsize=1_000)  # some 500 kB
def draw_avatar(address: str) -> Avatar:
    """Draw a picture that helps to tell wallets apart; static/widget/list.js draws the same.

    tests/support/avatar_cases.json checks that both do.
    """
    hue, *values = hashlib.sha256(address.encode()).digest()
    squares = "".join(square for square, value in zip(_SQUARES, values, strict=False) if value % 2)
    return Avatar(squares or _MIDDLE, f"hsl({hue * 360 // 256} 60% 50%)")
