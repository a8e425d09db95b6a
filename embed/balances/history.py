"""The history of balances: changes over a day and a week, and the last 30 days."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from operator import attrgetter
from typing import Any, NamedTuple

from peewee import Value, fn

from embed.db.batches import BATCH, delete_in_batches
from embed.db.connection import db
from embed.db.models import (
    IS_VISIBLE,
    ChainBalance,
    DailyBalance,
    Page,
    Submission,
    Wallet,
)
from embed.domain.amounts import add, find_share, subtract
from embed.domain.times import count_days, from_ms

LINE_SPAN = timedelta(days=30)

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """A period to compare over, and how old the two observations may be."""

    length: timedelta
    min_age: timedelta  # of the earlier observation
    max_age: timedelta
    max_newest_age: timedelta  # after which the newest observation says nothing about now


# One observation per day is kept. DAY's bounds are more than 24 hours apart, since a day's first
# observation is made some minutes earlier or later than the day before: one always falls between
# them.
DAY = Period(_DAY, timedelta(hours=12), timedelta(hours=37), timedelta(hours=12))
WEEK = Period(7 * _DAY, 6 * _DAY, 8 * _DAY, _DAY)


class Point(NamedTuple):
    """What an address held at a point in time, in whole tokens."""

    observed_at: datetime
    amount: Decimal


@dataclass(frozen=True, slots=True)
class BalanceChange:
    """How a balance has changed, in whole tokens; None where unknown."""

    day: Decimal | None
    week: Decimal | None
    line: tuple[Point, ...]  # of LINE_SPAN, oldest first; two or more

    @property
    def day_part(self) -> Decimal | None:
        """The day's change as a part of what was held before; None if unknown or nothing was."""
        return self._find_part(self.day)

    @property
    def week_part(self) -> Decimal | None:
        return self._find_part(self.week)

    @property
    def line_change(self) -> Decimal:
        return subtract(self.line[-1].amount, self.line[0].amount)

    def _find_part(self, change: Decimal | None) -> Decimal | None:
        if change is None:
            return None
        return find_share(change, subtract(self.line[-1].amount, change))


def read_balance_changes(
    page: Page, addresses: Collection[str], now: datetime
) -> dict[str, BalanceChange]:
    """Return how the balances on the chain have changed, in two statements at most.

    Addresses that were not observed twice during LINE_SPAN are absent.
    """
    since = now - LINE_SPAN
    rows = ChainBalance.select(
        ChainBalance.id, ChainBalance.address, ChainBalance.amount, ChainBalance.observed_at
    ).where(
        ChainBalance.mint == page.token_mint,
        ChainBalance.address.in_(list(addresses)),
        ChainBalance.observed_at >= since,
    )
    observed = {row.id: row for row in rows}
    changes: dict[str, BalanceChange] = {}
    for balance_id, points in _read_days(observed, since).items():
        balance = observed[balance_id]
        newest = Point(balance.observed_at, balance.amount)
        earlier = [point for point in points if point.observed_at < newest.observed_at]
        if earlier:
            changes[balance.address] = BalanceChange(
                day=_find_change(earlier, newest, DAY, now),
                week=_find_change(earlier, newest, WEEK, now),
                line=(*earlier, newest),
            )
    return changes


def find_total_change(page: Page, now: datetime) -> Decimal | None:
    """Return how much more the visible wallets hold in total than a day ago, as a fraction of 1.

    Counts those whose balance a day ago is known; None if there are none, or they held nothing.
    """
    rows = (
        DailyBalance.select(
            ChainBalance.id, ChainBalance.amount, DailyBalance.observed_at, DailyBalance.amount
        )
        .join(ChainBalance)
        .join(Wallet, on=(Wallet.address == ChainBalance.address))
        .where(
            Wallet.page == page,
            IS_VISIBLE,
            ChainBalance.mint == page.token_mint,
            ChainBalance.observed_at >= now - DAY.max_newest_age,
            DailyBalance.day.between(count_days(now - DAY.max_age), count_days(now - DAY.min_age)),
            DailyBalance.observed_at.between(now - DAY.max_age, now - DAY.min_age),
        )
    )
    nearest: dict[int, tuple[timedelta, Decimal, Decimal]] = {}
    for balance_id, newest, observed_at, earlier in rows.tuples().iterator():
        found = (abs(now - DAY.length - observed_at), newest, earlier)
        nearest[balance_id] = min(found, nearest.get(balance_id, found))
    before = add(*(earlier for _, _, earlier in nearest.values()))
    after = add(*(newest for _, newest, _ in nearest.values()))
    return find_share(subtract(after, before), before)


def _read_days(balance_ids: Collection[int], since: datetime) -> dict[int, list[Point]]:
    """Return the daily observations since then, by balance, oldest first."""
    if not balance_ids:
        return {}
    query = (
        DailyBalance.select(DailyBalance.balance, DailyBalance.observed_at, DailyBalance.amount)
        .where(
            DailyBalance.balance.in_(list(balance_ids)),
            DailyBalance.day >= count_days(since),
            DailyBalance.observed_at >= since,
        )
        .order_by(DailyBalance.balance, DailyBalance.day)
    )
    rows: Any = db.execute(query)  # raw values: a list has 750, which Peewee converts slowly
    found = defaultdict(list)
    for balance_id, observed_ms, amount in rows:
        found[balance_id].append(Point(from_ms(observed_ms), Decimal(amount)))
    return found


def _find_change(
    earlier: Sequence[Point], newest: Point, period: Period, now: datetime
) -> Decimal | None:
    if now - newest.observed_at > period.max_newest_age:
        return None
    at = attrgetter("observed_at")
    first = bisect_left(earlier, now - period.max_age, key=at)
    usable = earlier[first : bisect_right(earlier, now - period.min_age, key=at)]
    if not usable:
        return None
    nearest = min(usable, key=lambda point: abs(now - period.length - point.observed_at))
    return subtract(newest.amount, nearest.amount)


def prune_history(before: datetime) -> int:
    """Delete the rows of days before `before`; return how many there were.

    Uses small transactions, so requests that write don't wait long.
    """
    deleted = last_id = 0
    batch = ChainBalance.select(ChainBalance.id).order_by(ChainBalance.id).limit(BATCH)
    while ids := [row.id for row in batch.where(ChainBalance.id > last_id)]:
        is_old = DailyBalance.balance.in_(ids) & (DailyBalance.day < count_days(before))
        deleted += DailyBalance.delete().where(is_old).execute()
        last_id = ids[-1]
    return deleted


def prune_observations(before: datetime) -> int:
    """Delete balances last observed before then for addresses on no page; return how many.

    These are of wallets that were removed or refused. Those of pending submissions stay.
    """
    is_listed, is_pending = (
        fn.EXISTS(
            model.select(Value(1))
            .join(Page)
            .where(address == ChainBalance.address, Page.token_mint == ChainBalance.mint, *more)
        )
        for model, address, more in (
            (Wallet, Wallet.address, ()),
            (Submission, Submission.wallet_address, (Submission.status == "pending",)),
        )
    )
    is_old = ChainBalance.observed_at < before
    return delete_in_batches(ChainBalance.id, is_old & ~is_listed & ~is_pending)
