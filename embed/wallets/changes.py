"""How the balances of a page's visible wallets have changed."""

from collections.abc import Sequence
from datetime import datetime

from embed.balances.history import BalanceChange, read_changes
from embed.db.models import Page, Wallet
from embed.wallets.tracking import IS_VISIBLE


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
