"""What the public lists of a person's pages hold, for an overview."""

from collections import defaultdict
from decimal import Decimal
from typing import Any

from embed.balances.known import join_balances, list_amounts
from embed.db.models import IS_VISIBLE, Page, Person, Tag, Wallet, WalletTag
from embed.domain import amounts
from embed.pages import is_page_of


def sum_by_page(person: Person, *, uses_chain: bool) -> dict[str, Decimal]:
    """Return what the counted wallets of each list hold; pages of no known balance are absent.

    In one statement, which does not add: amounts are texts, and SQLite has been seen to cast such
    a text to NaN.
    """
    left_out = WalletTag.select(WalletTag.wallet).join(Tag).where(~Tag.is_counted)
    query = Wallet.select(Wallet.page, *list_amounts(uses_chain=uses_chain)).join(Page)
    rows: Any = join_balances(query, Page, uses_chain=uses_chain).where(
        is_page_of(person), Page.deleted_at.is_null(), IS_VISIBLE, Wallet.id.not_in(left_out)
    )
    known: defaultdict[str, list[Decimal]] = defaultdict(list)
    for page_id, *observed in rows.tuples():
        known[page_id] += [amount for amount in observed if amount is not None][:1]
    return {page_id: amounts.add(*balances) for page_id, balances in known.items() if balances}
