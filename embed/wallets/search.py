"""A page's wallets as the owner looks for them."""

from dataclasses import dataclass
from typing import Any

from embed.db.models import Page, Tag, Wallet, WalletTag
from embed.wallets.tracking import TrackedWallet, read_tracked

PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class WalletFilter:
    """Which wallets are looked for."""

    text: str = ""  # in the alias or the address
    tag: Tag | None = None
    is_hidden: bool | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A hundred of the wallets that were looked for."""

    wallets: list[TrackedWallet]
    total: int
    number: int  # from 1
    last: int


def search_wallets(page: Page, wanted: WalletFilter, number: int = 1) -> SearchResult:
    """Return a part of what is looked for, oldest first, in four statements."""
    found = Wallet.select(Wallet.id).where(Wallet.page == page, *_list_conditions(wanted))
    total = found.count()
    last = max(1, -(-total // PAGE_SIZE))
    number = min(max(1, number), last)
    part = found.order_by(Wallet.created_at, Wallet.id).paginate(number, PAGE_SIZE)
    ids = [wallet.id for wallet in part]
    return SearchResult(read_tracked(page, Wallet.id.in_(ids)), total, number, last)


def _list_conditions(wanted: WalletFilter) -> list[Any]:
    conditions: list[Any] = []
    text = wanted.text.replace("\0", "").strip()
    if text:
        conditions.append(Wallet.public_alias.contains(text) | Wallet.address.contains(text))
    if wanted.tag is not None:
        tagged = WalletTag.select(WalletTag.wallet).where(WalletTag.tag == wanted.tag)
        conditions.append(Wallet.id.in_(tagged))
    if wanted.is_hidden is not None:
        conditions.append(Wallet.is_hidden == wanted.is_hidden)
    return conditions
