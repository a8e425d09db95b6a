"""Storing observations of balances: those that owners enter, and those from the chain."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from peewee import EXCLUDED

from embed.balances.tokens import Supply, store_supplies
from embed.db.batches import in_batches
from embed.db.connection import db, lock_rows
from embed.db.models import Balance, ChainBalance, DailyBalance, Page, Person, Wallet
from embed.domain import amounts
from embed.domain.times import count_days
from embed.events.editing import lock_owners

BELIEVED_FOR_MS = 24 * 60 * 60 * 1000  # how long a slot newer than all later ones is believed


@dataclass(frozen=True, slots=True)
class Observation:
    """The balance of an address at a point in time, in whole tokens."""

    address: str
    amount: Decimal
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class ChainObservation:
    """What the chain said about an address, in whole tokens."""

    address: str
    token_account: str  # the associated one
    associated_amount: Decimal
    slot: int
    observed_at: datetime
    # What all other accounts held; None: only the associated one was read.
    other_amount: Decimal | None = None

    @property
    def amount(self) -> Decimal:
        """Return the total of all accounts that were read."""
        return amounts.add(self.associated_amount, self.other_amount or Decimal(0))


def store_entered(page: Page, rows: Sequence[Observation]) -> None:
    """Store what an owner entered, and increment the version of every page that shares it.

    This includes pages that don't track these addresses: one may start to at the same moment, when
    a visitor's submission is approved.
    """
    with db.atomic():
        lock_owners(page.owner_id)
        for batch in in_batches(rows):
            Balance.insert_many(
                {
                    "owner": page.owner_id,
                    "mint": page.token_mint,
                    "address": row.address,
                    "amount": row.amount,
                    "observed_at": row.observed_at,
                }
                for row in batch
            ).on_conflict(
                conflict_target=[Balance.owner, Balance.mint, Balance.address],
                preserve=[Balance.amount, Balance.observed_at],
            ).execute()
        if rows:
            Page.update(version=Page.version + 1).where(
                Page.owner == page.owner_id, Page.token_mint == page.token_mint
            ).execute()


def has_entered(owner: Person, mint: str) -> bool:
    """Return whether an owner entered balances of a mint."""
    return Balance.select().where(Balance.owner == owner, Balance.mint == mint).exists()


def store_chain(mint: str, rows: Sequence[ChainObservation]) -> set[str]:
    """Store observations of one mint; see store_chain_of_mints."""
    return store_chain_of_mints({mint: rows})[mint]


def store_chain_of_mints(
    rows_by_mint: Mapping[str, Sequence[ChainObservation]],
    *,
    supplies: Mapping[str, Supply] | None = None,
    only_tracked: bool = False,
) -> dict[str, set[str]]:
    """Store observations in one transaction, and return the addresses whose row was updated.

    The others have an observation from a newer slot or, with `only_tracked`, are no longer on any
    page. Pass an address at most once per mint. Pages whose mint has a changed amount or supply get
    a new version; the first observation of each day is kept.
    """
    supplies = supplies or {}
    with db.atomic():
        # If two transactions have the same mint, one waits here: so neither adds to amounts that
        # the other changes, and no page is locked before its owner.
        of_mints = Page.token_mint.in_([*rows_by_mint, *supplies])
        lock_owners(*[one.owner_id for one in Page.select(Page.owner).where(of_mints).distinct()])
        renewed = {}
        changed = store_supplies(supplies)
        for mint, observed in sorted(rows_by_mint.items()):
            rows = _list_tracked(mint, observed) if only_tracked else observed
            before = _read_before(mint, rows)
            ids = _upsert(mint, rows, before)
            fresh = [row for row in rows if row.address in ids]
            _keep_first_of_day(fresh, before, ids)
            if any(_has_changed(row, before.get(row.address)) for row in fresh):
                changed.append(mint)
            renewed[mint] = set(ids)
        bumped = bump_pages_of(changed)
    # Other owners' pages that switched to a mint meanwhile may still show the old amounts.
    bump_pages_of(changed, excluding=bumped)
    return renewed


def _list_tracked(mint: str, rows: Sequence[ChainObservation]) -> list[ChainObservation]:
    tracked: set[str] = set()
    for batch in in_batches(rows):
        query: Any = Wallet.select(Wallet.address).join(Page).where(Page.token_mint == mint)
        addresses = [row.address for row in batch]
        tracked |= {found for (found,) in query.where(Wallet.address.in_(addresses)).tuples()}
    return [row for row in rows if row.address in tracked]


def _read_before(mint: str, rows: Sequence[ChainObservation]) -> dict[str, ChainBalance]:
    found: dict[str, ChainBalance] = {}
    for batch in in_batches(rows):
        addresses = [row.address for row in batch]
        query = ChainBalance.select().where(
            ChainBalance.mint == mint, ChainBalance.address.in_(addresses)
        )
        found |= {one.address: one for one in query}
    return found


def _upsert(
    mint: str, rows: Sequence[ChainObservation], before: Mapping[str, ChainBalance]
) -> dict[str, int]:
    """Return the ids of the rows that were written, by address."""
    ids: dict[str, int] = {}
    for batch in in_batches(rows):
        query: Any = ChainBalance.insert_many(
            _build_row(mint, row, before.get(row.address)) for row in batch
        ).on_conflict(
            conflict_target=[ChainBalance.mint, ChainBalance.address],
            preserve=[
                ChainBalance.token_account,
                ChainBalance.amount,
                ChainBalance.other_amount,
                ChainBalance.slot,
                ChainBalance.observed_at,
                ChainBalance.all_observed_at,
            ],
            where=(EXCLUDED.slot >= ChainBalance.slot)
            # A slot that no answer reached within a day was not one of this chain.
            | (ChainBalance.observed_at < EXCLUDED.observed_at - BELIEVED_FOR_MS),
        )
        written = query.returning(ChainBalance.address, ChainBalance.id).tuples().execute()
        ids |= dict(written)
    return ids


def _build_row(mint: str, row: ChainObservation, before: ChainBalance | None) -> dict[str, Any]:
    is_complete = row.other_amount is not None
    all_observed_at = before.all_observed_at if before else None
    return {
        "mint": mint,
        "address": row.address,
        "token_account": row.token_account,
        "amount": _add_up(row, before),
        "other_amount": _find_other(row, before),
        "slot": row.slot,
        "observed_at": row.observed_at,
        "all_observed_at": row.observed_at if is_complete else all_observed_at,
    }


def _find_other(row: ChainObservation, before: ChainBalance | None) -> Decimal:
    if row.other_amount is not None:
        return row.other_amount
    return before.other_amount if before else Decimal(0)


def _add_up(row: ChainObservation, before: ChainBalance | None) -> Decimal:
    return amounts.add(row.associated_amount, _find_other(row, before))


def _has_changed(row: ChainObservation, before: ChainBalance | None) -> bool:
    """Tell whether pages show a new amount; the first observation may replace an entered one."""
    return before is None or _add_up(row, before) != before.amount


def _keep_first_of_day(
    rows: Iterable[ChainObservation], before: Mapping[str, ChainBalance], ids: Mapping[str, int]
) -> None:
    """Keep these as the day's observations unless it already has one."""
    new = [
        {
            "balance": ids[row.address],
            "day": count_days(row.observed_at),
            "amount": _add_up(row, before.get(row.address)),
            "observed_at": row.observed_at,
        }
        for row in rows
        if row.address not in before
        or count_days(before[row.address].observed_at) != count_days(row.observed_at)
    ]
    for batch in in_batches(new):
        DailyBalance.insert_many(batch).on_conflict_ignore().execute()


def bump_pages_of(mints: Sequence[str], *, excluding: Container[str] = ()) -> list[str]:
    """Increment the versions of the pages of some mints, and return their ids.

    They're locked in the order of their ids, to avoid deadlocks.
    """
    if not mints:
        return []
    with db.atomic():
        pages = Page.select(Page.id).where(Page.token_mint.in_(mints)).order_by(Page.id)
        ids = [page.id for page in lock_rows(pages) if page.id not in excluding]
        for batch in in_batches(ids):
            Page.update(version=Page.version + 1).where(Page.id.in_(batch)).execute()
    return ids
