"""What the public lists of an owner's pages hold, rounded, for an overview."""

from collections import defaultdict
from decimal import Decimal
from typing import Any

from peewee import JOIN, fn

from embed.db.models import IS_VISIBLE, Balance, ChainBalance, Owner, Page, Tag, Wallet, WalletTag


def estimate_totals(owner: Owner, *, uses_chain: bool) -> dict[str, Decimal]:
    """Return by page what the counted wallets of its list hold; pages of no known balance lack.

    In one statement, summed here: in a process where a library has left the processor's registers
    of MMX in use, SQLite makes NaN of a text that it casts to a number.
    """
    amount = fn.COALESCE(ChainBalance.amount, Balance.amount) if uses_chain else Balance.amount
    left_out = WalletTag.select(WalletTag.wallet).join(Tag).where(~Tag.is_counted)
    is_entered = (
        (Balance.owner == Page.owner)
        & (Balance.mint == Page.token_mint)
        & (Balance.address == Wallet.address)
    )
    is_observed = (ChainBalance.mint == Page.token_mint) & (ChainBalance.address == Wallet.address)
    query = Wallet.select(Wallet.page, amount).join(Page)
    query = query.join_from(Wallet, Balance, JOIN.LEFT_OUTER, on=is_entered)
    if uses_chain:
        query = query.join_from(Wallet, ChainBalance, JOIN.LEFT_OUTER, on=is_observed)
    rows: Any = query.where(
        Page.owner == owner, Page.deleted_at.is_null(), IS_VISIBLE, Wallet.id.not_in(left_out)
    )
    totals: defaultdict[str, Decimal] = defaultdict(Decimal)
    for page_id, known in rows.tuples():
        if known is not None:
            totals[page_id] += Decimal(known)
    return dict(totals)
