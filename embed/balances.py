"""Token balances: observed somewhere, shared by every page of the mint."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from embed.database import db
from embed.domain.amounts import parse_amount
from embed.models import Balance, Page, Wallet


class BalanceSource(Protocol):
    """Where the holding gate learns what a wallet holds."""

    def get_balance(self, mint: str, address: str) -> float:
        """Return whole tokens; never called inside a transaction."""


class EnteredBalances:
    """What owners entered; 0 if never observed (spec 2.2)."""

    def get_balance(self, mint: str, address: str) -> float:
        observed = Balance.get_or_none(Balance.mint == mint, Balance.address == address)
        return 0.0 if observed is None else observed.amount


def record_balance(
    mint: str, address: str, amount: float, *, now: datetime, slot: int | None = None
) -> None:
    """Keep the newest observation, in whole tokens. Raises InvalidInput."""
    with db.atomic():
        Balance.insert(
            mint=mint, address=address, amount=parse_amount(amount), observed_at=now, slot=slot
        ).on_conflict(
            conflict_target=[Balance.mint, Balance.address],
            preserve=[Balance.amount, Balance.observed_at, Balance.slot],
        ).execute()
        tracking = Wallet.select(Wallet.page).where(Wallet.address == address)
        pages = (
            Page.select(Page.id)
            .where(Page.token_mint == mint, Page.id.in_(tracking))
            .order_by(Page.id)  # two of these at once lock in one order
        )
        ids = [page.id for page in (pages.for_update() if db.for_update else pages)]
        Page.update(version=Page.version + 1).where(Page.id.in_(ids)).execute()


def read_balances(mint: str, addresses: Iterable[str]) -> dict[str, float]:
    """Return what is known of these addresses, in whole tokens."""
    return {address: one.amount for address, one in read_observations(mint, addresses).items()}


def read_observations(mint: str, addresses: Iterable[str]) -> dict[str, Balance]:
    rows = Balance.select().where(Balance.mint == mint, Balance.address.in_(list(addresses)))
    return {one.address: one for one in rows}
