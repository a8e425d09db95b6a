"""Searching, sorting and counting a page's wallets, and summing up public lists."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from threading import Lock
from typing import Any, Literal

from cachetools import LRUCache, cached
from peewee import fn

from embed.balances.known import BalanceSource
from embed.db.connection import db
from embed.db.fields import in_byte_order
from embed.db.folded import matches
from embed.db.models import (
    IS_VISIBLE,
    LOW_IN_A_ROW,
    Page,
    Tag,
    TrackedWallet,
    Wallet,
    WalletTag,
)
from embed.domain import amounts
from embed.domain.folding import parse_search
from embed.wallets.tracking import list_wallets

RESULT_SIZE = 100
MAX_CACHED_BYTES = 10 * 1024 * 1024  # in each process
_ADDRESS_BYTES = 100  # of an address in a list
_SEARCH_BYTES = 3_000  # of a search that finds nothing

Column = Literal["balance", "name"]

_DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Order:
    """How to sort wallets; those with the same balance or name come oldest first."""

    column: Column = "balance"
    is_descending: bool = True


@dataclass(frozen=True, slots=True)
class WalletFilter:
    text: str = ""  # as somebody typed it: part of the alias or the address
    tag: Tag | None = None
    is_hidden: bool | None = None
    is_flagged: bool = False  # only those below the minimum


EVERYTHING = WalletFilter()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Up to RESULT_SIZE of the wallets found, and how many there are."""

    wallets: list[TrackedWallet]
    total: int
    number: int  # which hundred, from 1
    last: int


def search_wallets(
    page: Page,
    wanted: WalletFilter,
    order: Order,
    number: int = 1,
    *,
    balances: BalanceSource,
    page_tags: Sequence[Tag] | None = None,
) -> SearchResult:
    """Return wallets that match, in four statements at most."""
    addresses = _list_addresses(page, page.version, wanted, order, balances)
    last = max(1, -(-len(addresses) // RESULT_SIZE))
    number = min(max(1, number), last)
    shown = addresses[(number - 1) * RESULT_SIZE : number * RESULT_SIZE]
    tracked = list_wallets(page, balances, Wallet.address.in_(shown), page_tags=page_tags)
    found = {wallet.address: wallet for wallet in tracked}
    return SearchResult([found[one] for one in shown if one in found], len(addresses), number, last)


def _size(addresses: list[str]) -> int:
    return _SEARCH_BYTES + _ADDRESS_BYTES * len(addresses)


@cached(LRUCache(MAX_CACHED_BYTES, getsizeof=_size), lock=Lock())
def _list_addresses(
    page: Page, version: int, wanted: WalletFilter, order: Order, balances: BalanceSource
) -> list[str]:
    """Return the sorted addresses of the wallets that match; `version` is the page's."""
    found = Wallet.select(Wallet.address).where(*list_conditions(page, wanted))
    rows: Any = db.execute(_sort(found, page, order, balances))
    return [address for (address,) in rows]


def _sort(found: Any, page: Page, order: Order, balances: BalanceSource) -> Any:
    if order.column == "name":
        keys = [in_byte_order(Wallet.folded), in_byte_order(Wallet.address)]
        first = [Wallet.public_alias.is_null()]  # those without a name are last, either way
    else:
        found = balances.join(found, page)
        amount = fn.COALESCE(*balances.amounts, "0")
        # Amounts are texts without leading zeros: more digits before the point mean more.
        whole_digits = fn.LENGTH(amount) - fn.LENGTH(fn.LTRIM(amount, _DIGITS))
        keys, first = [whole_digits, in_byte_order(amount)], []
    sorted_keys = [key.desc() if order.is_descending else key.asc() for key in keys]
    return found.order_by(*first, *sorted_keys, Wallet.created_at, Wallet.id)


def count_wallets(page: Page, wanted: WalletFilter = EVERYTHING) -> int:
    """Count the page's wallets that match, the hidden ones too."""
    return Wallet.select().where(*list_conditions(page, wanted)).count()


def list_conditions(page: Page, wanted: WalletFilter) -> list[Any]:
    """Return the conditions that the page's matching wallets meet."""
    conditions: list[Any] = [Wallet.page == page]
    search = parse_search(wanted.text)
    if search is not None:
        conditions.append(matches(Wallet.folded, search))
    if wanted.tag is not None:
        tagged = WalletTag.select(WalletTag.wallet).where(WalletTag.tag == wanted.tag)
        conditions.append(Wallet.id.in_(tagged))
    if wanted.is_hidden is not None:
        conditions.append(Wallet.is_hidden == wanted.is_hidden)
    if wanted.is_flagged:
        conditions.append(Wallet.low_count >= LOW_IN_A_ROW)
    return conditions


def sum_by_page(pages: Iterable[Page], balances: BalanceSource) -> dict[str, Decimal]:
    """Return what each list's counted wallets hold; pages without a known balance are absent."""
    return _sum_by_page(frozenset((page.id, page.version) for page in pages), balances)


@lru_cache(maxsize=100)
def _sum_by_page(
    versions: frozenset[tuple[str, int]], balances: BalanceSource
) -> dict[str, Decimal]:
    """Sum up with one statement; cached until one of the pages has a new version.

    The statement doesn't add: amounts are texts, and SQLite has been seen to cast one to NaN.
    """
    ids = [page_id for page_id, _ in versions]
    left_out = (
        WalletTag.select(WalletTag.wallet).join(Tag).where(Tag.page.in_(ids), ~Tag.is_counted)
    )
    query = Wallet.select(Wallet.page, *balances.amounts).join(Page)
    rows: Any = balances.join(query, Page).where(
        Wallet.page.in_(ids), IS_VISIBLE, Wallet.id.not_in(left_out)
    )
    known: defaultdict[str, list[Decimal]] = defaultdict(list)
    for page_id, *observed in rows.tuples():
        known[page_id] += [amount for amount in observed if amount is not None][:1]
    return {page_id: amounts.add(*held) for page_id, held in known.items() if held}
