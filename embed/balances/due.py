"""Which balances to read next."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from peewee import JOIN, chunked, fn

from embed.balances.token_accounts import MOST_ACCOUNTS
from embed.db.models import ChainBalance, Page, Token, Wallet
from embed.domain.times import from_ms


@dataclass(frozen=True, slots=True)
class DueWallet:
    """An address whose balance of a mint should be read."""

    mint: str
    address: str
    token_account: str | None = None  # the associated one; None: not derived yet
    observed_at: datetime | None = None  # None: never


def list_due(every: timedelta, now: datetime) -> list[DueWallet]:
    """Return wallets never observed, or not within `every`, on pages that aren't deleted.

    The least recently observed come first. Mints that the chain refused are left out.
    """
    observed_at = ChainBalance.observed_at
    is_due = observed_at.is_null() | ~_is_recent(observed_at, every, now)
    return _list_wallets(is_due, Token.problem.is_null())


def _is_recent(observed_at: Any, every: timedelta, now: datetime) -> Any:
    """Return the condition for a time less than `every` ago; future ones are from a wrong clock."""
    return (observed_at > now - every) & (observed_at <= now)


def list_of_page(page: Page) -> list[DueWallet]:
    """Return all wallets of a page, in the same order."""
    return _list_wallets(Page.id == page.id)


def find_oldest_read_at() -> datetime | None:
    """Return when the least recently read balance was read; None if there's nothing to read.

    For a wallet that was never read, this is when it was added.
    """
    read_at: Any = fn.COALESCE(ChainBalance.observed_at, Wallet.created_at)
    oldest = _select_wallets(fn.MIN(read_at).coerce(False)).where(Token.problem.is_null())
    oldest_ms = oldest.scalar()
    return None if oldest_ms is None else from_ms(oldest_ms)


def list_read_at(*conditions: Any) -> dict[str, datetime]:
    """Return when the chain was last read for each page's wallets; pages never read are absent.

    The conditions are on pages.
    """
    newest = fn.MAX(ChainBalance.observed_at)
    rows: Any = (
        _select_wallets(Wallet.page, newest)
        .where(ChainBalance.observed_at.is_null(False), *conditions)
        .group_by(Wallet.page)
    )
    return dict(rows.tuples())


def _list_wallets(*conditions: Any) -> list[DueWallet]:
    rows: Any = (
        _select_wallets(
            Page.token_mint, Wallet.address, ChainBalance.token_account, ChainBalance.observed_at
        )
        .where(*conditions)
        .distinct()  # several pages may track an address
    )
    return sorted((DueWallet(*row) for row in rows.tuples().iterator()), key=_get_age)


def _select_wallets(*columns: Any) -> Any:
    """Return a query of all pages' wallets, joined with their balances on the chain."""
    return (
        Wallet.select(*columns)
        .join(Page)
        .join(Token, JOIN.LEFT_OUTER, on=Token.mint == Page.token_mint)
        .join_from(
            Wallet,
            ChainBalance,
            JOIN.LEFT_OUTER,
            on=(ChainBalance.mint == Page.token_mint) & (ChainBalance.address == Wallet.address),
        )
        .where(Page.deleted_at.is_null())
    )


def _get_age(due: DueWallet) -> tuple[bool, datetime | None]:
    return due.observed_at is not None, due.observed_at


def make_batches(due: Iterable[DueWallet]) -> list[list[DueWallet]]:
    """Return batches of one mint each, those with the least recently observed wallet first."""
    by_mint: defaultdict[str, list[DueWallet]] = defaultdict(list)
    for one in due:
        by_mint[one.mint].append(one)
    batches = [
        list(batch) for of_mint in by_mint.values() for batch in chunked(of_mint, MOST_ACCOUNTS)
    ]
    return sorted(batches, key=lambda batch: _get_age(batch[0]))


def list_for_rotation(
    every: timedelta,
    now: datetime,
    limit: int,
    *,
    first: Sequence[tuple[str, str]] = (),
    page: Page | None = None,
) -> list[DueWallet]:
    """Return up to `limit` wallets that should have all their accounts read.

    Those in `first` (mint, address) come before the ones not read for the longest time. None was
    read completely within `every`. `page` limits them to its wallets.
    """
    tracking = Page.select().join(Wallet)
    tracking = tracking.where(
        Page.token_mint == ChainBalance.mint,
        Wallet.address == ChainBalance.address,
        Page.deleted_at.is_null(),
        *(() if page is None else (Page.id == page.id,)),
    )
    all_observed_at = ChainBalance.all_observed_at
    rows = (
        ChainBalance.select()
        .join(Token, JOIN.LEFT_OUTER, on=Token.mint == ChainBalance.mint)
        .where(
            all_observed_at.is_null() | ~_is_recent(all_observed_at, every, now),
            Token.problem.is_null(),
            fn.EXISTS(tracking),
        )
        .order_by(ChainBalance.all_observed_at.asc(nulls="FIRST"), ChainBalance.id)
        .limit(limit)
    )
    oldest = [
        DueWallet(one.mint, one.address, one.token_account, one.all_observed_at) for one in rows
    ]
    refused = {token.mint for token in Token.select().where(Token.problem.is_null(False))}
    needed = {key: DueWallet(*key) for key in first if key[0] not in refused}
    return list((needed | {(one.mint, one.address): one for one in oldest}).values())[:limit]
