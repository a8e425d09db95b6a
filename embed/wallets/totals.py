"""What the public lists of an owner's pages hold, rounded, for an overview."""

from decimal import Decimal
from typing import Any

from peewee import JOIN, fn

from embed.db.models import IS_VISIBLE, Balance, ChainBalance, Owner, Page, Tag, Wallet, WalletTag


def estimate_totals(owner: Owner, *, uses_chain: bool) -> dict[str, Decimal]:
    """Return by page what the counted wallets of its list hold; pages of no known balance lack.

    In one statement, by the database's numbers of 15 digits: exact sums are in the payload.
    """
    amount = fn.COALESCE(ChainBalance.amount, Balance.amount) if uses_chain else Balance.amount
    left_out = WalletTag.select(WalletTag.wallet).join(Tag).where(~Tag.is_counted)
    is_entered = (
        (Balance.owner == Page.owner)
        & (Balance.mint == Page.token_mint)
        & (Balance.address == Wallet.address)
    )
    is_observed = (ChainBalance.mint == Page.token_mint) & (ChainBalance.address == Wallet.address)
    query = Wallet.select(Wallet.page, fn.SUM(amount.cast("double precision"))).join(Page)
    query = query.join_from(Wallet, Balance, JOIN.LEFT_OUTER, on=is_entered)
    if uses_chain:
        query = query.join_from(Wallet, ChainBalance, JOIN.LEFT_OUTER, on=is_observed)
    rows: Any = query.where(
        Page.owner == owner, Page.deleted_at.is_null(), IS_VISIBLE, Wallet.id.not_in(left_out)
    ).group_by(Wallet.page)
    return {page_id: Decimal(str(total)) for page_id, total in rows.tuples() if total is not None}
