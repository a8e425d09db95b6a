"""Searching a page's wallets."""

from dataclasses import dataclass
from typing import Any

from embed.db.models import LOW_IN_A_ROW, Page, Tag, TrackedWallet, Wallet, WalletTag
from embed.wallets.tags import list_tags
from embed.wallets.tracking import read_tracked

RESULT_SIZE = 100


@dataclass(frozen=True, slots=True)
class WalletFilter:
    """Which wallets to find."""

    text: str = ""  # in the alias or the address
    tag: Tag | None = None
    is_hidden: bool | None = None
    is_flagged: bool = False  # only what the holding watch flagged


_FLAGGED = WalletFilter(is_flagged=True)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Up to RESULT_SIZE of the wallets found, and how many there are."""

    wallets: list[TrackedWallet]
    total: int
    number: int  # which hundred, from 1
    last: int


def search_wallets(
    page: Page, wanted: WalletFilter, number: int = 1, *, uses_chain: bool
) -> SearchResult:
    """Return wallets that match, oldest first, in five statements."""
    found = Wallet.select(Wallet.id).where(Wallet.page == page, *_list_conditions(wanted))
    total = found.count()
    last = max(1, -(-total // RESULT_SIZE))
    number = min(max(1, number), last)
    rows = found.order_by(Wallet.created_at, Wallet.id).paginate(number, RESULT_SIZE)
    ids = [wallet.id for wallet in rows]
    wallets = read_tracked(page, list_tags(page), Wallet.id.in_(ids), uses_chain=uses_chain)
    return SearchResult(wallets, total, number, last)


def count_flagged(page: Page) -> int:
    """Count the wallets that the holding watch flagged, whether it hides them or not."""
    return Wallet.select().where(Wallet.page == page, *_list_conditions(_FLAGGED)).count()


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
    if wanted.is_flagged:
        conditions.append(Wallet.low_count >= LOW_IN_A_ROW)
    return conditions
