"""The holding watch's marks on wallets after the owner changed what it goes by."""

from collections.abc import Container
from typing import Any

from peewee import chunked

from embed.db.models import ChainBalance, Page, Wallet
from embed.db.tracked_wallets import LOW_IN_A_ROW

# What takes a wallet's marks away.
UNMARKED: dict[str, Any] = {"low_count": 0, "low_observed_at": None, "is_withheld": False}
_BATCH = 1000  # ids per statement


def renew_marks(page: Page, changed: Container[str]) -> None:
    """Bring the marks in line with a page's new choice, minimum or mint, where that is certain.

    `page` is as it is now, and locked; `changed` names the fields that had other values. Whoever
    is low by a raised minimum is found by the watch, as that takes two new observations.
    """
    is_marked = (Wallet.page == page) & ((Wallet.low_count > 0) | Wallet.is_withheld)
    if page.holding_watch == "leave" or not page.min_balance or "token_mint" in changed:
        Wallet.update(UNMARKED).where(is_marked).execute()
        return
    if "min_balance" in changed:
        _unmark_holders(page, is_marked)
    if "holding_watch" in changed:
        Wallet.update(is_withheld=page.holding_watch == "hide").where(
            Wallet.page == page, Wallet.low_count >= LOW_IN_A_ROW
        ).execute()


def _unmark_holders(page: Page, is_marked: Any) -> None:
    """Unmark wallets whose last observation is enough for the page's minimum."""
    rows: Any = (
        Wallet.select(Wallet.id, ChainBalance.amount)
        .join(
            ChainBalance,
            on=(ChainBalance.address == Wallet.address) & (ChainBalance.mint == page.token_mint),
        )
        .where(is_marked)
    )
    ids = [wallet_id for wallet_id, amount in rows.tuples() if amount >= page.min_balance]
    for batch in chunked(ids, _BATCH):
        Wallet.update(UNMARKED).where(Wallet.id.in_(batch)).execute()
