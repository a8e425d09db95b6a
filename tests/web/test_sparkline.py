"""Lines of balances: where their points are, and what they say in words."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from embed.balances.history import BalanceChange, Point
from embed.web.sparkline import draw_path, draw_sparklines

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)


def make_line(*points: tuple[float, str]) -> tuple[Point, ...]:
    """Make a line from pairs of days ago and amounts."""
    return tuple(Point(NOW - days * DAY, Decimal(amount)) for days, amount in points)


def draw(*points: tuple[float, str], days: float = 10) -> str:
    return draw_path(make_line(*points), NOW - days * DAY, NOW)


def make_change(*points: tuple[float, str]) -> BalanceChange:
    return BalanceChange(None, None, make_line(*points))


def test_line_rises_from_the_lowest_to_the_highest_balance():
    assert draw((10, "0"), (5, "5"), (0, "10")) == "M2 30 60 16 118 2"


def test_line_falls_where_the_balance_did():
    assert draw((10, "7"), (0, "6.5")) == "M2 2 118 30"


def test_line_of_what_did_not_change_is_flat():
    assert draw((10, "5"), (5, "5.0"), (0, "5")) == "M2 16 60 16 118 16"


def test_single_observation_is_a_dot():
    assert draw((0, "5")) == "M118 16h0"
    assert draw((0, "5"), days=0) == "M118 16h0"


def test_missing_days_are_bridged_and_take_their_place():
    assert draw((10, "0"), (9, "10"), (0, "0")) == "M2 30 14 2 118 30"


def test_amounts_that_no_float_tells_apart_are_drawn_apart():
    assert draw((10, "99999999999999999998"), (0, "99999999999999999999")) == "M2 30 118 2"


@pytest.mark.parametrize("amount", ["0", "0.00000000000000000001", "99999999999999999999"])
def test_no_point_is_outside_the_picture(amount):
    numbers = draw((30, "1"), (20, amount), (0, "3"), days=30)[1:].split()

    assert all(0 <= int(x) <= 120 for x in numbers[::2])
    assert all(0 <= int(y) <= 32 for y in numbers[1::2])


def test_lines_shown_together_have_the_same_scale_of_time():
    lines = draw_sparklines(
        {"long": make_change((20, "1"), (0, "2")), "short": make_change((10, "1"), (0, "2"))}, NOW
    )

    assert lines["long"].path.startswith("M2 ")
    assert lines["short"].path.startswith("M60 ")


@pytest.mark.parametrize(
    ("points", "span", "change"),
    [
        ([(29.6, "1"), (0, "3.5")], 30 * DAY, "2.5"),
        ([(1.2, "3"), (0, "1")], DAY, "-2"),
        ([(0.5, "3"), (0, "3")], DAY / 2, "0"),
        ([(0.001, "3"), (0, "3")], DAY / 24, "0"),
    ],
)
def test_line_says_how_long_it_is_and_what_changed(points, span, change):
    line = draw_sparklines({"one": make_change(*points)}, NOW)["one"]

    assert (line.span, line.change) == (span, Decimal(change))


def test_no_histories_are_no_lines():
    assert draw_sparklines({}, NOW) == {}
