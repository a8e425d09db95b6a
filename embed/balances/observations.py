"""Token balances: observations of addresses, shared by an owner's pages of the mint."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from peewee import chunked

from embed.db.connection import db
from embed.db.models import Balance, Page, Wallet
from embed.events.editing import lock_owners

BATCH = 1000  # rows per statement


class BalanceSource(Protocol):
    """Reads the balances that the holding gate checks."""

    def get_balance(self, page: Page, address: str) -> Decimal:
        """Return whole tokens of the page's mint; never called inside a transaction."""


class EnteredBalances:
    """The balances that the page's owner entered; 0 if never observed (spec 2.2)."""

    def get_balance(self, page: Page, address: str) -> Decimal:
        """Return whole tokens."""
        return read_balances(page, [address]).get(address, Decimal(0))


@dataclass(frozen=True, slots=True)
class Observation:
    """The balance of an address at a point in time, in whole tokens."""

    address: str
    amount: Decimal
    observed_at: datetime
    slot: int | None = None  # None: entered by hand


def record_observations(page: Page, rows: Sequence[Observation]) -> None:
    """Store the newest observations, and increment the version of every page that shares them.

    Also of pages that do not track these addresses: one of them may come to do so at the same
    moment, when a visitor's submission is approved.
    """
    with db.atomic():
        lock_owners(page.owner_id)
        for batch in chunked(rows, BATCH):
            Balance.insert_many(
                {
                    "owner": page.owner_id,
                    "mint": page.token_mint,
                    "address": row.address,
                    "amount": row.amount,
                    "observed_at": row.observed_at,
                    "slot": row.slot,
                }
                for row in batch
            ).on_conflict(
                conflict_target=[Balance.owner, Balance.mint, Balance.address],
                preserve=[Balance.amount, Balance.observed_at, Balance.slot],
            ).execute()
        if rows:
            Page.update(version=Page.version + 1).where(
                Page.owner == page.owner_id, Page.token_mint == page.token_mint
            ).execute()


def join_balances(page: Page) -> Any:
    """Return the condition that joins a wallet of the page with its newest observation."""
    return (
        (Balance.address == Wallet.address)
        & (Balance.mint == page.token_mint)
        & (Balance.owner == page.owner_id)
    )


def read_balances(page: Page, addresses: Iterable[str]) -> dict[str, Decimal]:
    """Return the known balances of these addresses, in whole tokens."""
    return {address: one.amount for address, one in read_observations(page, addresses).items()}


def read_observations(page: Page, addresses: Iterable[str]) -> dict[str, Balance]:
    """Return the newest observations of these addresses."""
    rows = Balance.select().where(
        Balance.owner == page.owner_id,
        Balance.mint == page.token_mint,
        Balance.address.in_(list(addresses)),
    )
    return {one.address: one for one in rows}
