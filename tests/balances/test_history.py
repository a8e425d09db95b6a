"""Changes of balances over a day and a week, the line of 30 days, and pruning."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from support.chain_history import record_history
from support.world import USDC, Visitor

from embed.balances import history
from embed.balances.history import Point, prune_history, read_balance_changes
from embed.db.models import ChainBalance, DailyBalance, Page

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

WSOL = "So11111111111111111111111111111111111111112"
NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PAGE = Page(id="0" * 20, token_mint=USDC)


@pytest.fixture
def address(app) -> str:
    return Visitor().address


def record(address, amount, earlier, *, newest_age=timedelta(), mint=USDC) -> None:
    at = NOW - newest_age
    record_history(
        mint, address, at, amount, {age - newest_age: one for age, one in earlier.items()}
    )


def read(address, now=NOW):
    return read_balance_changes(PAGE, [address], now)[address]


def test_changes_are_exact(address):
    record(
        address,
        "18446744073709551615.000000001",
        {24 * HOUR: "0.5", 7 * DAY: "99999999999999999999"},
    )

    assert read(address).day == Decimal("18446744073709551614.500000001")
    assert read(address).week == Decimal("-81553255926290448383.999999999")


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("amount", "earlier", "part"),
    [
        ("110", {24 * HOUR: "100"}, "0.1"),
        ("0", {24 * HOUR: "100"}, "-1"),
        ("5", {24 * HOUR: "0"}, None),
        ("5", {3 * DAY: "4"}, None),
    ],
)
def test_change_of_a_day_is_a_part_of_what_was_held_before(address, amount, earlier, part):
    record(address, amount, earlier)

    assert read(address).day_part == (None if part is None else Decimal(part))


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("period", "ages", "taken"),
    [
        ("day", [12 * HOUR], 12 * HOUR),
        ("day", [36 * HOUR], 36 * HOUR),
        ("day", [12 * HOUR - timedelta(seconds=1)], None),
        ("day", [37 * HOUR + timedelta(seconds=1)], None),
        ("day", [13 * HOUR, 34 * HOUR], 34 * HOUR),
        ("day", [15 * HOUR, 35 * HOUR], 15 * HOUR),
        ("week", [6 * DAY], 6 * DAY),
        ("week", [8 * DAY], 8 * DAY),
        ("week", [6 * DAY - timedelta(seconds=1)], None),
        ("week", [8 * DAY + timedelta(seconds=1)], None),
    ],
)
def test_change_is_since_what_was_observed_nearest_to_that_long_ago(address, period, ages, taken):
    record(address, "1000", {age: str(age // HOUR) for age in ages})

    assert getattr(read(address), period) == (None if taken is None else 1000 - taken // HOUR)


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    ("newest_age", "day", "week"),
    [(12 * HOUR, 1, 2), (13 * HOUR, None, 2), (25 * HOUR, None, None)],
)
def test_nothing_is_said_of_now_where_the_newest_observation_is_old(address, newest_age, day, week):
    record(address, "5", {30 * HOUR: "4", 7 * DAY: "3"}, newest_age=newest_age)

    assert (read(address).day, read(address).week) == (day, week)


@pytest.mark.databases("sqlite")
def test_newest_observation_is_not_compared_with_itself(address):
    record(address, "5", {12 * HOUR: "5", 5 * DAY: "4"}, newest_age=12 * HOUR)

    assert read(address).day is None
    assert read(address).line == (
        Point(NOW - 5 * DAY, Decimal(4)),
        Point(NOW - 12 * HOUR, Decimal(5)),
    )


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize("earlier", [{}, {timedelta(): "5"}, {31 * DAY: "4"}])
def test_address_that_was_observed_once_has_no_history(address, earlier):
    record(address, "5", earlier)

    assert read_balance_changes(PAGE, [address], NOW) == {}


def test_line_has_the_days_of_a_month_and_ends_with_the_newest(address):
    record(address, "50", {age * DAY: str(age) for age in (31, 30, 29, 12, 1)})

    line = read(address).line

    assert [point.observed_at for point in line] == [
        NOW - 30 * DAY, NOW - 29 * DAY, NOW - 12 * DAY, NOW - DAY, NOW
    ]  # fmt: skip
    assert [point.amount for point in line] == [30, 29, 12, 1, 50]
    assert read(address).line_change == 20


def test_address_is_compared_with_itself_and_for_the_mint_only(address):
    other = Visitor().address
    record(address, "5", {24 * HOUR: "4"})
    record(address, "70", {24 * HOUR: "1"}, mint=WSOL)
    record(other, "9", {24 * HOUR: "2"})

    changes = read_balance_changes(PAGE, [address, other, Visitor().address], NOW)

    assert {one: change.day for one, change in changes.items()} == {address: 1, other: 7}


# Pruning


def test_days_before_the_given_one_are_pruned_and_the_newest_balance_stays(address, monkeypatch):
    monkeypatch.setattr(history, "BATCH", 2)
    addresses = [address, *(Visitor().address for _ in range(4))]
    for one in addresses:
        record(one, "5", {90 * DAY: "1", 89 * DAY: "2", 91 * DAY: "3", 400 * DAY: "4"})

    assert prune_history(NOW - 90 * DAY) == 2 * len(addresses)

    assert {row.amount for row in DailyBalance.select()} == {1, 2}
    assert ChainBalance.select().count() == len(addresses)
    assert prune_history(NOW - 90 * DAY) == 0
