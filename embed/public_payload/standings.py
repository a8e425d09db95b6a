"""The order in which a page's wallets are shown, and what they hold in total.

Computed once per payload, as it needs all wallets.
"""

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import NamedTuple

from embed.db.models import TrackedWallet
from embed.domain import amounts

ORDERS = ("listed", "balance", "name")

_DIGITS = re.compile(r"(\d+)")


class Part(NamedTuple):
    """What some wallets hold in total."""

    balance: Decimal
    wallet_count: int


NO_PART = Part(Decimal(0), 0)


@dataclass(frozen=True, slots=True)
class Standings:
    """Wallets are numbered from 0 in list order."""

    orders: dict[str, Sequence[int]]  # the wallets in each order
    ranks: Sequence[int]  # of each wallet by its balance, from 1; 0: it holds nothing
    highest: Decimal
    counts: dict[str, int]  # how many wallets have each tag
    parts: dict[str | None, Part]  # by tag; each wallet is in one

    def __len__(self) -> int:
        """Return the size of the larger fields in bytes."""
        return sum(8 * len(order) for order in (*self.orders.values(), self.ranks))


def compute_standings(wallets: Sequence[TrackedWallet]) -> Standings:
    # Not by the negated balance: a minus sign rounds to the precision of the thread's context.
    by_balance = sorted(
        range(len(wallets)), key=lambda one: wallets[one].token_balance, reverse=True
    )
    by_name = sorted(range(len(wallets)), key=lambda one: _collate(wallets[one]))
    return Standings(
        orders={
            "listed": range(len(wallets)),
            "balance": array("L", by_balance),
            "name": array("L", by_name),
        },
        ranks=_rank(wallets, by_balance),
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


def _sum_up(wallets: Iterable[TrackedWallet]) -> dict[str | None, Part]:
    """Return parts by tag: a wallet's tag that leaves it out of the sums, else its first one."""
    parts: dict[str | None, Part] = {}
    for wallet in wallets:
        tag_ids = [tag.id for tag in sorted(wallet.tags, key=lambda tag: tag.is_counted)]
        tag_id = tag_ids[0] if tag_ids else None
        balance, count = parts.get(tag_id, NO_PART)
        parts[tag_id] = Part(amounts.add(balance, wallet.token_balance), count + 1)
    return parts


def _collate(wallet: TrackedWallet) -> list[str | int]:
    """Return a key that sorts names as people do: by letters without accents, and numbers."""
    name = unicodedata.normalize("NFKD", wallet.public_alias or wallet.address).casefold()
    letters = "".join(one for one in name if not unicodedata.combining(one))
    pieces: list[str | int] = [*_DIGITS.split(letters)]
    pieces[1::2] = map(int, pieces[1::2])
    return pieces
