"""What is known of the balances of a page's wallets, and how they have changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from embed.balances.history import BalanceChange, read_changes
from embed.balances.known import KnownBalance, join_balances
from embed.db.models import Balance, ChainBalance, Page, Wallet
from embed.pages import get_page
from embed.wallets.tracking import IS_VISIBLE


@dataclass(frozen=True, slots=True)
class ObservedWallet:
    address: str
    public_alias: str | None
    balance: KnownBalance | None  # None: never observed


def list_observed(page_id: str, *, uses_chain: bool) -> list[ObservedWallet]:
    """Return all wallets of a page, oldest first, in one statement. Raises NotFound."""
    page = get_page(page_id)
    observed = (ChainBalance.amount, ChainBalance.observed_at, ChainBalance.slot)
    rows: Any = (
        join_balances(
            Wallet.select(
                Wallet.address,
                Wallet.public_alias,
                Balance.amount,
                Balance.observed_at,
                *(observed if uses_chain else ()),
            ),
            page,
            uses_chain=uses_chain,
        )
        .where(Wallet.page == page)
        .order_by(Wallet.created_at, Wallet.id)
    )
    return [
        ObservedWallet(address, alias, _choose(*balances))
        for address, alias, *balances in rows.tuples().iterator()
    ]


def _choose(
    entered: Decimal | None,
    entered_at: datetime | None,
    observed: Decimal | None = None,
    observed_at: datetime | None = None,
    slot: int | None = None,
) -> KnownBalance | None:
    if observed is not None and observed_at is not None:
        return KnownBalance(observed, observed_at, slot)
    if entered is not None and entered_at is not None:
        return KnownBalance(entered, entered_at)
    return None


def read_visible_changes(
    page: Page, wallet_ids: Sequence[str], now: datetime
) -> dict[str, BalanceChange]:
    """Return the changes by wallet; hidden wallets and those without a history are absent."""
    wallets = Wallet.select(Wallet.id, Wallet.address, Wallet.page).where(
        Wallet.id.in_(wallet_ids), IS_VISIBLE
    )
    # The page is compared here: SQLite would use its index, and read all wallets of the page.
    address_by_id = {one.id: one.address for one in wallets if one.page_id == page.id}
    changes = read_changes(page.token_mint, address_by_id.values(), now)
    return {
        wallet_id: changes[address]
        for wallet_id, address in address_by_id.items()
        if address in changes
    }
