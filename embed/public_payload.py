"""The public payload of a tracking page (docs/api.md), built once for each version of the page."""

import base64
import hashlib
import json
import re
import sys
import threading
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

from cachetools import LRUCache, cached
from msgspec import UNSET
from msgspec.structs import asdict

from embed.balances.known import BalanceSource
from embed.db.models import IS_VISIBLE, Page, Tag, TrackedWallet, Wallet
from embed.domain.addresses import parse_address
from embed.domain.amounts import add, add_up, find_share
from embed.domain.folding import fold, fold_wallet, parse_search
from embed.domain.times import from_ms
from embed.errors import ApiError
from embed.pages import find_page
from embed.schemas import ListedWallet
from embed.serializers import (
    describe_page,
    describe_tag,
    describe_wallet,
    write_amount,
    write_json,
)
from embed.submissions.proofs import list_proved
from embed.wallets.tags import list_tags
from embed.wallets.tracking import list_wallets

ORDERS = ("listed", "newest", "balance", "name")
NO_TAG = "none"  # chooses the wallets without tags, as a tag's id chooses those with the tag
WALLETS_PER_PART = 25  # as many as the widget shows at first
MAX_CACHED_BYTES = 64 * 1024 * 1024  # in each process; a page of 50,000 wallets has about 25 MB
_ETAG_BYTES = 12
_DIGITS = re.compile(r"(\d+)")
_ADDRESS = b'"address":"'
_LONG_AGO = from_ms(0)  # for wallets of a draft


class Part(NamedTuple):
    """What some wallets hold in total."""

    balance: Decimal
    wallet_count: int


NO_PART = Part(Decimal(0), 0)


@dataclass(frozen=True, slots=True)
class Standings:
    """In which order a page's wallets are shown, how they're found, and what they hold in total.

    Computed once per payload, as it needs all wallets. They're numbered from 0 in list order.
    """

    orders: dict[str, Sequence[int]]  # the wallets in each order
    by_address: Sequence[int]
    places: Mapping[str, Sequence[int]]  # the wallets with each tag, and those with NO_TAG
    texts: Sequence[str]  # in which searches look for each wallet
    ranks: Sequence[int]  # of each wallet by its balance, from 1; 0: it holds nothing
    known: bytes  # for each wallet, 1 if its balance is known
    proved: bytes  # for each wallet, 1 if its holder signed, and everyone may see the proof
    highest: Decimal
    counts: dict[str, int]  # how many wallets have each tag
    parts: dict[str | None, Part]  # by tag; each wallet is in one

    def __len__(self) -> int:
        """Return the size of the larger fields in bytes."""
        lists = (*self.orders.values(), *self.places.values(), self.ranks, self.by_address)
        # The texts are in a list, which has 8 bytes for each.
        texts = 8 * len(self.texts) + sum(map(sys.getsizeof, self.texts))
        return 8 * sum(map(len, lists)) + texts + 2 * len(self.known)


@dataclass(frozen=True, slots=True)
class Payload:
    """A page's public data: as the API's JSON, and what the widget shows besides."""

    json: bytes
    _starts: "array[int]"  # of each wallet in `json`, and one past the separator after the last
    etag: str  # of this version and content, without quotes
    details: dict[str, Any]  # for the widget: all but the wallets, with the sums and the supply
    page: Page  # as it was then
    standings: Standings

    def __len__(self) -> int:
        starts = self._starts.itemsize * len(self._starts)
        return len(self.json) + starts + len(self.standings)

    @property
    def wallet_count(self) -> int:
        return len(self._starts) - 1

    @property
    def proved_count(self) -> int:
        return self.standings.proved.count(1)

    def choose(self, order: str, *, tag: str | None = None, search: str = "") -> Sequence[int]:
        """Return where in the list the wallets to show are, from 0, in one of ORDERS.

        `tag` is the id of a tag of the page, or NO_TAG; any other value leaves no wallet out.
        `search` is what a visitor typed; one of spaces only leaves no wallet out.
        """
        chosen: Iterable[int] = self.standings.orders[order]
        places = self.standings.places.get(tag) if tag else None
        if places is not None:
            chosen = filter(set(places).__contains__, chosen)
        wanted = parse_search(search)
        if wanted is not None:
            chosen = filter(wanted.find(self.standings.texts).__getitem__, chosen)
        return chosen if isinstance(chosen, Sequence) else array("L", chosen)

    def find_place(self, address: str) -> int | None:
        """Return where in the list the wallet with this address is."""
        by_address, wanted = self.standings.by_address, address.encode()
        number = bisect_left(by_address, wanted, key=self._read_address)
        found = number < len(by_address) and self._read_address(by_address[number]) == wanted
        return by_address[number] if found else None

    def _read_address(self, place: int) -> bytes:
        _, _, rest = self.json[self._starts[place] : self._starts[place + 1]].partition(_ADDRESS)
        return rest.partition(b'"')[0]

    def read_wallets(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Return the wallets at these places, with exact balances: a float would round them."""
        text = b",".join(self.json[self._starts[one] : self._starts[one + 1] - 1] for one in places)
        wallets: list[dict[str, Any]] = json.loads(
            b"[%b]" % text, parse_float=Decimal, parse_int=Decimal
        )
        return wallets


@cached(LRUCache(maxsize=MAX_CACHED_BYTES, getsizeof=len), condition=threading.Condition())
def get_payload(page_id: str, version: int, balances: BalanceSource) -> Payload:
    """Return a page's payload, which is built once even if many ask for it at the same time.

    `version` is the page's, read in the same request. A change increments it in its own
    transaction, so what is cached under that version is never outdated.

    Raises ApiError `not_found`.
    """
    page = find_page(page_id)  # before the wallets, so they aren't older than its version
    if page is None:
        raise ApiError("not_found")
    tags = list_tags(page)
    wallets = list_wallets(page, balances, IS_VISIBLE, page_tags=tags)
    observed = balances.find_supply(page.token_mint)
    supply = None if observed is None else observed.amount
    return build_payload(page, wallets, tags, supply, list_proved(page))


def get_listed_wallet(page_id: str, raw_address: str, balances: BalanceSource) -> ListedWallet:
    """Return one wallet of the list without building the payload.

    Raises ApiError `not_found`, `invalid_wallet_address`, `wallet_not_found`.
    """
    page = find_page(page_id)
    if page is None:
        raise ApiError("not_found")
    is_it = Wallet.address == parse_address(raw_address)
    found = list_wallets(page, balances, IS_VISIBLE, is_it)
    if not found:
        raise ApiError("wallet_not_found")
    supply = balances.find_supply(page.token_mint)
    known = found[0].known_balance
    share = find_share(known, supply.amount) if supply and known is not None else None
    fields = asdict(describe_wallet(found[0]))
    return ListedWallet(**fields, share=UNSET if share is None else write_amount(share))


def build_payload(
    page: Page,
    wallets: Sequence[TrackedWallet],
    tags: Sequence[Tag],
    supply: Decimal | None,
    proved: Set[str] = frozenset(),
) -> Payload:
    described = describe_page(page)
    written = described | {"tags": [describe_tag(tag) for tag in tags]}
    text, starts = _write(written, map(describe_wallet, wallets))
    sums = add_up(one.holding for one in wallets)
    standings = compute_standings(wallets, tags, proved)
    unwritten = repr((supply, [tag.is_counted for tag in tags])).encode()
    return Payload(
        json=text,
        _starts=starts,
        etag=_make_etag(page.version, text, unwritten, standings.known, standings.proved),
        details=described | {"tags": tags, "sums": sums, "supply": supply},
        page=page,
        standings=standings,
    )


def _write(described: dict[str, Any], wallets: Iterable[object]) -> tuple[bytes, "array[int]"]:
    """Return the page with its wallets as JSON, and where each wallet starts."""
    written = bytearray(write_json(described, is_compact=True)[:-1] + b',"wallets":[')
    starts = array("L", [len(written)])
    for wallet in wallets:
        written += write_json(wallet, is_compact=True) + b","
        starts.append(len(written))
    if len(starts) > 1:
        del written[-1]  # no comma after the last wallet
    return bytes(written + b"]}"), starts


def _make_etag(version: int, *content: bytes) -> str:
    """Return a tag that depends on version and content.

    The version alone isn't enough: a database restored from a backup counts on from an older
    number. Nor is the content: a new version tells readers that something outside the payload may
    have changed, such as proofs.
    """
    hashed = hashlib.blake2b(b"%d " % version, digest_size=_ETAG_BYTES)
    for part in content:
        hashed.update(part)
    return base64.urlsafe_b64encode(hashed.digest()).decode()


def compute_standings(
    wallets: Sequence[TrackedWallet], tags: Iterable[Tag] = (), proved: Set[str] = frozenset()
) -> Standings:
    """Compute them for a page with these tags; `proved` are ids of wallets."""
    # Not by the negated balance: a minus sign rounds to the precision of the thread's context.
    places = range(len(wallets))
    by_balance = sorted(places, key=lambda one: wallets[one].token_balance, reverse=True)
    newest = sorted(places, key=lambda one: wallets[one].created_at or _LONG_AGO, reverse=True)
    return Standings(
        orders={
            "listed": places,
            "newest": array("L", newest),
            "balance": array("L", by_balance),
            "name": array("L", sorted(places, key=lambda one: _collate(wallets[one]))),
        },
        by_address=array("L", sorted(places, key=lambda one: wallets[one].address)),
        places=_group_by_tag(wallets, tags),
        texts=[fold_wallet(one.public_alias, one.address) for one in wallets],
        ranks=_rank(wallets, by_balance),
        known=bytes(one.known_balance is not None for one in wallets),
        proved=bytes(one.id in proved for one in wallets),
        highest=wallets[by_balance[0]].token_balance if wallets else Decimal(0),
        counts=dict(Counter(tag.id for wallet in wallets for tag in wallet.tags)),
        parts=_sum_up(wallets),
    )


def _rank(wallets: Sequence[TrackedWallet], by_balance: Sequence[int]) -> "array[int]":
    """Rank wallets by balance; those that hold the same share a rank."""
    ranks = array("L", [0]) * len(wallets)
    first = 1
    for balance, group in groupby(by_balance, key=lambda one: wallets[one].token_balance):
        equal = list(group)
        for one in equal:
            ranks[one] = first if balance else 0
        first += len(equal)
    return ranks


def _group_by_tag(
    wallets: Sequence[TrackedWallet], tags: Iterable[Tag]
) -> Mapping[str, Sequence[int]]:
    places = {name: array("L") for name in (NO_TAG, *(tag.id for tag in tags))}
    for place, wallet in enumerate(wallets):
        for name in [tag.id for tag in wallet.tags] or [NO_TAG]:
            places[name].append(place)
    return places


def _sum_up(wallets: Iterable[TrackedWallet]) -> dict[str | None, Part]:
    """Return parts by tag: a wallet's tag that leaves it out of the sums, else its first one."""
    parts: dict[str | None, Part] = {}
    for wallet in wallets:
        tag_ids = [tag.id for tag in sorted(wallet.tags, key=lambda tag: tag.is_counted)]
        tag_id = tag_ids[0] if tag_ids else None
        balance, count = parts.get(tag_id, NO_PART)
        parts[tag_id] = Part(add(balance, wallet.token_balance), count + 1)
    return parts


def _collate(wallet: TrackedWallet) -> list[str | int]:
    """Return a key that sorts names as people do: by folded letters, and by numbers."""
    pieces = _DIGITS.split(wallet.public_alias or wallet.address)
    return [int(one) if number % 2 else fold(one) for number, one in enumerate(pieces)]
