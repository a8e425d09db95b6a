"""Lines of balances: where their points are, and their words; and pictures of addresses."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from flask import Flask

from embed.balances.history import BalanceChange, Point
from embed.web.drawings import Line, draw_avatar, draw_chart, draw_lines
from embed.web.figures import format_short, write_axis
from embed.web.languages import choose_language

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)


def make_line(*points: tuple[float, str]) -> tuple[Point, ...]:
    """Make a line from pairs of days ago and amounts."""
    return tuple(Point(NOW - days * DAY, Decimal(amount)) for days, amount in points)


def draw(*points: tuple[float, str], day: str | None = None) -> Line | None:
    change = None if day is None else Decimal(day)
    return draw_lines({"one": BalanceChange(change, None, make_line(*points))}, NOW).get("one")


def read_places(path: str) -> list[tuple[int, int]]:
    """Return the points of a path, whose data are relative."""
    numbers = [int(one) for one in re.findall(r"-?\d+", path)]
    places, x, y = [], 0, 0
    for right, down in zip(numbers[::2], numbers[1::2], strict=True):
        x, y = x + right, y + down
        places.append((x, y))
    return places


HUGE = "99999999999999999999"


@pytest.mark.parametrize(
    ("points", "path"),
    [
        ([(30, "0"), (15, "5"), (0, "10")], "m5 43 67-19 67-19"),
        ([(30, "99999999999999999998"), (0, HUGE)], "m5 43 134-38"),  # no float tells them apart
        ([(30, "0"), (0.2, "9"), (0, "10")], "m5 43 134-38"),  # the newest of a day, without a step
        ([(30, "0"), (0, "0")], None),
        ([(0.4, "3"), (0, "5")], None),  # a history of hours
    ],
)
def test_line_goes_from_its_own_least_to_its_own_most_if_there_is_a_change(points, path):
    line = draw(*points)

    assert (line and line.path) == path


def test_lines_show_the_same_thirty_days():
    """So one of a wallet that is new starts further to the right."""
    assert read_places(draw((15, "5"), (0, "10")).path)[0] == (72, 43)
    assert read_places(draw((15, "5"), (7.5, "10"), (0, "10")).path)[1] == (105, 5)


@pytest.mark.parametrize(
    ("day", "trend"),
    [("0.1", "up"), ("-0.1", "down"), ("0.001", ""), ("-0.001", ""), (None, "")],
)
def test_dot_says_what_the_percentage_beside_it_says(day, trend):
    """Nothing for less than half of a tenth of a percent, which rounds to 0."""
    assert draw((30, "1"), (0, "10"), day=day).trend == trend


def test_chart_has_a_scale_of_its_own_and_says_which():
    chart = draw_chart(make_line((30, "999"), (0, "1000")), NOW)

    assert chart.path == "m2 106 596-104"
    assert chart.scale == (1000, Decimal("999.5"), 999)
    assert (chart.since, chart.until) == (NOW - 30 * DAY, NOW)


@pytest.mark.parametrize(
    ("figures", "language", "shown"),
    [
        (("1000000", "950000", "900000"), "en", ["1M", "0.95M", "0.9M"]),
        (("1000", "999.5", "999"), "de", ["1.000", "999,5", "999"]),
        (("2E-20", "1E-20", "0"), "en", [f"0.{19 * '0'}2", f"0.{19 * '0'}1", "0"]),
    ],
)
def test_axis_has_one_unit(figures, language, shown):
    with Flask(__name__).test_request_context():
        choose_language(language)
        assert write_axis([Decimal(one) for one in figures]) == shown


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("16123.4", "16.1K"),
        ("0.00", "0"),
        ("1E-20", f"0.{19 * '0'}1"),
        ("99999999999999999999", "100000000T"),
    ],
)
def test_amounts_have_three_digits_however_small(amount, shown):
    with Flask(__name__).test_request_context():
        assert format_short(Decimal(amount)) == shown


@pytest.mark.parametrize(
    ("points", "span", "change"),
    [
        ([(29.6, "1"), (0, "3.5")], 30 * DAY, "2.5"),
        ([(1.2, "3"), (0, "1")], DAY, "-2"),
        ([(2, "3"), (1, "9"), (0, "3")], 2 * DAY, "0"),
    ],
)
def test_line_says_how_long_it_is_and_what_changed(points, span, change):
    line = draw(*points)

    assert (line.span, line.change) == (span, Decimal(change))


def test_avatar_of_an_address_stays_the_same():
    avatar = draw_avatar("FnfYZ78RTZacuDYWpJkhSefvRHCesZiG86ckfvZqFexM")
    squares = re.findall(r"M(\d) (\d)h1v1h-1z", avatar.path)

    rows = ("".join(".#"[(str(x), str(y)) in squares] for x in range(5)) for y in range(5))
    assert " ".join(rows) == "..... #...# #...# ##.## #...#"
    assert avatar.fill == "hsl(206 60% 50%)"
