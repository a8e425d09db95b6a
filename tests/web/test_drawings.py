"""Lines of balances: where their points are, and their words; and pictures of addresses."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from flask import Flask
from support.servers import PROJECT_DIR

from embed.balances.history import BalanceChange, Point
from embed.web.drawings import draw_avatar, draw_chart, draw_path, draw_sparklines
from embed.web.figures import format_short, write_axis
from embed.web.languages import choose_language

AVATARS = json.loads((PROJECT_DIR / "tests/support/avatar_cases.json").read_text())
NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)


def make_line(*points: tuple[float, str]) -> tuple[Point, ...]:
    """Make a line from pairs of days ago and amounts."""
    return tuple(Point(NOW - days * DAY, Decimal(amount)) for days, amount in points)


def draw(*points: tuple[float, str], low: str = "0", high: str = "10") -> str:
    return draw_path(make_line(*points), NOW, Decimal(low), Decimal(high))


def make_change(*points: tuple[float, str]) -> BalanceChange:
    return BalanceChange(None, None, make_line(*points))


def draw_row(*points: tuple[float, str]) -> str:
    return draw_sparklines({"one": make_change(*points)}, NOW)["one"].path


def test_line_rises_from_the_lower_to_the_higher_end():
    assert draw((30, "0"), (15, "5"), (0, "10")) == "M2 30 60 16 118 2"


def test_lines_of_rows_begin_at_a_balance_of_zero():
    """Half as high is half as much, and a thousandth less looks like as much."""
    assert draw_row((30, "5"), (0, "10")) == "M2 16 118 2"
    assert draw_row((30, "1000"), (0, "999")) == "M2 2 118 2"
    assert draw_row((30, "5"), (15, "5.0"), (0, "5")) == "M2 2 60 2 118 2"
    assert draw_row((30, "0"), (0, "0")) == "M2 30 118 30"


def test_lines_of_rows_show_the_same_thirty_days():
    assert draw_row((15, "10"), (0, "10")) == "M60 2 118 2"
    assert draw_row((15, "10"), (7.5, "10")) == "M60 2 89 2"


def test_newest_balance_takes_the_place_of_one_from_the_same_day():
    """Otherwise every line would end in a step."""
    assert draw((30, "0"), (0.2, "9"), (0, "10")) == "M2 30 118 2"
    assert draw((0.4, "0"), (0.2, "9"), (0, "10")) == "M116.5 30 118 2"


def test_chart_has_a_scale_of_its_own_and_says_which():
    chart = draw_chart(make_line((30, "999"), (0, "1000")), NOW)

    assert chart.path == "M2 106 598 2"
    assert chart.scale == (1000, Decimal("999.5"), 999)
    assert (chart.since, chart.until) == (NOW - 30 * DAY, NOW)


@pytest.mark.parametrize(
    ("figures", "language", "shown"),
    [
        (("1000000", "950000", "900000"), "en", ["1M", "0.95M", "0.9M"]),
        (("1000000", "500000", "0"), "de", ["1\xa0Mio.", "0,5\xa0Mio.", "0"]),
        (("1000", "999.5", "999"), "de", ["1.000", "999,5", "999"]),
        (("10000", "9500", "9000"), "ja", ["1万", "0.95万", "0.9万"]),
        (("2E+20", "1E+20", "0"), "en", ["200,000,000T", "100,000,000T", "0"]),
        (("2E-20", "1E-20", "0"), "en", [f"0.{19 * '0'}2", f"0.{19 * '0'}1", "0"]),
    ],
)
def test_axis_has_one_unit(figures, language, shown):
    with Flask(__name__).test_request_context():
        choose_language(language)
        assert write_axis([Decimal(one) for one in figures]) == shown


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("16123.4", "+16.1K"),
        ("-16123.4", "\N{MINUS SIGN}16.1K"),
        ("-0.001234", "\N{MINUS SIGN}0.00123"),
        ("-0.00", "0"),
        ("1E-20", f"+0.{19 * '0'}1"),
        ("99999999999999999999", "+100000000T"),
    ],
)
def test_changes_have_three_digits_however_small(change, shown):
    with Flask(__name__).test_request_context():
        assert format_short(Decimal(change), signed=True) == shown


def test_amounts_that_no_float_tells_apart_are_drawn_apart():
    low, high = "99999999999999999998", "99999999999999999999"

    assert draw((30, low), (0, high), low=low, high=high) == "M2 30 118 2"


@pytest.mark.parametrize("amount", ["0", "0.00000000000000000001", "99999999999999999999"])
def test_no_point_is_outside_the_picture(amount):
    numbers = draw_row((30, "1"), (20, amount), (0, "3"))[1:].split()

    assert all(0 <= float(x) <= 120 for x in numbers[::2])
    assert all(0 <= float(y) <= 32 for y in numbers[1::2])


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


@pytest.mark.parametrize("case", AVATARS, ids=lambda case: case["address"][:4])
def test_avatar_is_the_one_that_scripts_draw(case):
    assert draw_avatar(case["address"]) == (case["path"], case["fill"])
