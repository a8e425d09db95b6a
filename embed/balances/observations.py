"""Token balances: observations of addresses, shared by an owner's pages of the mint."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from embed.db.connection import db
from embed.db.models import Balance, Page, Wallet
from embed.domain.amounts import RawAmount, parse_amount


class BalanceSource(Protocol):
    """Where the holding gate learns what a wallet holds."""

    def get_balance(self, page: Page, address: str) -> Decimal:
        """Return whole tokens of the page's mint; never called inside a transaction."""


class EnteredBalances:
    """What the page's owner entered; 0 if never observed (spec 2.2)."""

    def get_balance(self, page: Page, address: str) -> Decimal:
        return read_balances(page, [address]).get(address, Decimal(0))


def record_balance(
    page: Page, address: str, amount: RawAmount, *, now: datetime, slot: int | None = None
) -> None:
    """Keep the newest observation, in whole tokens. Raises InvalidInput."""
    with db.atomic():
        Balance.insert(
            owner=page.owner_id,
            mint=page.token_mint,
            address=address,
            amount=parse_amount(amount),
            observed_at=now,
            slot=slot,
        ).on_conflict(
            conflict_target=[Balance.owner, Balance.mint, Balance.address],
            preserve=[Balance.amount, Balance.observed_at, Balance.slot],
        ).execute()
        tracking = Wallet.select(Wallet.page).where(Wallet.address == address)
        pages = (
            Page.select(Page.id)
            .where(shares_balances(page), Page.id.in_(tracking))
            .order_by(Page.id)  # two of these at once lock in one order
        )
        ids = [one.id for one in (pages.for_update() if db.for_update else pages)]
        Page.update(version=Page.version + 1).where(Page.id.in_(ids)).execute()


def shares_balances(page: Page) -> Any:
    """Return the condition that a page shows what is observed for this one."""
    return (Page.owner == page.owner_id) & (Page.token_mint == page.token_mint)


def read_balances(page: Page, addresses: Iterable[str]) -> dict[str, Decimal]:
    """Return what is known of these addresses, in whole tokens."""
    return {address: one.amount for address, one in read_observations(page, addresses).items()}


def read_observations(page: Page, addresses: Iterable[str]) -> dict[str, Balance]:
    rows = Balance.select().where(
        Balance.owner == page.owner_id,
        Balance.mint == page.token_mint,
        Balance.address.in_(list(addresses)),
    )
    return {one.address: one for one in rows}
