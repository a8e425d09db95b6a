"""Drawings as SVG path data: balances as lines, and small pictures of addresses.

Lines show the last 30 days. Those in rows have no scale: each goes from its own least to its own
most, so it shows when a balance has changed, not by how much. A chart has its scale written beside
it.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from typing import Literal, NamedTuple

from embed.balances.history import LINE_SPAN, BalanceChange, Point
from embed.domain.amounts import round_change

_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)
_CLOSEST = _DAY / 2  # earlier observations closer to the newest are left out: they'd draw a step


class Box(NamedTuple):
    width: int
    height: int
    margin: int  # for half of the stroke, or the dot


LINE = Box(144, 48, margin=5)
CHART = Box(600, 108, margin=2)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a row, and what it shows in words."""

    path: str
    end: tuple[int, int]  # where its dot is
    trend: Literal["up", "down", ""]  # of the last day
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


def draw_lines(changes: Mapping[str, BalanceChange], now: datetime) -> dict[str, Line]:
    """Draw the lines of rows; those whose balance has not changed have none."""
    drawn = ((name, _draw_line(change, now)) for name, change in changes.items())
    return {name: line for name, line in drawn if line}


def _draw_line(change: BalanceChange, now: datetime) -> Line | None:
    *earlier, newest = points = _choose_points(change.line)
    amounts = [point.amount for point in points]
    low, high = min(amounts), max(amounts)
    if low == high or newest.observed_at - earlier[0].observed_at < _CLOSEST:
        return None
    places = _place(points, now, low, high, LINE)
    part = round_change(change.day_part or Decimal(0))
    span = change.line[-1].observed_at - change.line[0].observed_at
    unit = _DAY if span >= _DAY else _HOUR
    return Line(
        _write_path(places),
        places[-1],
        "up" if part > 0 else "down" if part < 0 else "",
        max(1, round(span / unit)) * unit,
        change.line_change,
    )


def draw_chart(line: Sequence[Point], now: datetime) -> Chart:
    high = max(point.amount for point in line)
    low = min(point.amount for point in line)
    low, high = _round_scale(low, high)
    path = _write_path(_place(_choose_points(line), now, low, high, CHART))
    return Chart(path, now - LINE_SPAN, now, low, high)


def _round_scale(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Return two figures around these that are two round steps apart."""
    half = (high - low if high > low else high or Decimal(1)) / 2
    unit = Decimal(1).scaleb(half.adjusted())
    for step in (unit * one for one in (1, 2, Decimal("2.5"), 5, 10, 20)):
        bottom = low // step * step if high > low else Decimal(0)
        if bottom + 2 * step >= high:
            break
    return bottom, bottom + 2 * step


def _choose_points(line: Sequence[Point]) -> Sequence[Point]:
    """Return two points or more, without those that would draw a step at the end."""
    *earlier, newest = line
    latest = newest.observed_at - _CLOSEST
    count = bisect_right(earlier, latest, key=attrgetter("observed_at"))
    return *earlier[: max(count, 1)], newest


def _place(
    points: Sequence[Point], now: datetime, low: Decimal, high: Decimal, box: Box
) -> list[tuple[int, int]]:
    """Place points in a box that is LINE_SPAN wide, with `low` at the bottom and `high` at the top.

    Missing days are bridged by a straight line.
    """
    since, margin = now - LINE_SPAN, box.margin
    width = box.width - 2 * margin
    y_step = (box.height - 2 * margin) / float(high - low)
    return [
        (
            margin + round((observed_at - since) / LINE_SPAN * width),
            margin + round(float(high - amount) * y_step),
        )
        for observed_at, amount in points
    ]


def _write_path(places: Sequence[tuple[int, int]]) -> str:
    """Return relative path data, which is half as long: ``m5 43 67-19 67-19``."""
    (x, y), *others = places
    steps = [(x, y)]
    for to_x, to_y in others:
        steps.append((to_x - x, to_y - y))
        x, y = to_x, to_y
    return "m" + " ".join(f"{right} {down}" for right, down in steps).replace(" -", "-")


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
    """Draw a picture that helps to tell wallets apart."""
    hue, *values = hashlib.sha256(address.encode()).digest()
    squares = "".join(square for square, value in zip(_SQUARES, values, strict=False) if value % 2)
    return Avatar(squares or _MIDDLE, f"hsl({hue * 360 // 256} 60% 50%)")
