"""Who holds the token: the bar above the list, and the chips that explain it and filter."""

from decimal import Decimal
from typing import Any, NamedTuple

from embed.db.models import Tag
from embed.domain.amounts import add, find_share, subtract
from embed.public_payload import NO_PART, NO_TAG, Payload

LARGEST = 5  # wallets that a list without tags names
_NARROWEST = Decimal("0.01")  # of the bar; narrower parts join the others


class Holder(NamedTuple):
    """The wallets with a tag, those without any, one wallet, or all others."""

    balance: Decimal
    share: Decimal | None  # of the supply
    wallet_count: int
    tag: Tag | None = None
    wallet: dict[str, Any] | None = None
    elsewhere: int = 0  # wallets with the tag that another part of the bar counts
    is_untagged: bool = False

    @property
    def tag_name(self) -> str | None:
        """Return how the list's address names the tag, or wallets without one."""
        return self.tag.id if self.tag else NO_TAG if self.is_untagged else None


class Segment(NamedTuple):
    """A part of the bar, in percent of its width."""

    start: Decimal
    width: Decimal
    holder: Holder | None  # None: everything that isn't named


def list_holders(payload: Payload) -> list[Holder]:
    """Return each tag of the page and what has none, else the largest wallets and the others.

    A wallet counts under its first tag. Empty if that would be one.
    """
    parts, supply = payload.standings.parts, payload.details["supply"]
    counts = payload.standings.counts
    tags = [tag for tag in payload.details["tags"] if counts.get(tag.id)]
    if not tags:
        return _list_largest(payload) if payload.standings.highest else []
    holders = []
    for tag in tags:
        balance, count = parts.get(tag.id, NO_PART)
        share, elsewhere = find_share(balance, supply), counts[tag.id] - count
        holders.append(Holder(balance, share, counts[tag.id], tag, elsewhere=elsewhere))
    if untagged := parts.get(None):
        share = find_share(untagged.balance, supply)
        holders.append(Holder(untagged.balance, share, untagged.wallet_count, is_untagged=True))
    return holders


def _list_largest(payload: Payload) -> list[Holder]:
    supply, (total, wallet_count) = payload.details["supply"], payload.standings.parts[None]
    holders = []
    for wallet in payload.read_wallets(payload.standings.orders["balance"][:LARGEST]):
        balance = wallet["tokenBalance"]
        if not balance:
            break
        holders.append(Holder(balance, find_share(balance, supply), 1, wallet=wallet))
        total = subtract(total, balance)
    if rest := wallet_count - len(holders):
        holders.append(Holder(total, find_share(total, supply), rest))
    return holders if len(holders) > 1 else []


def draw_bar(holders: list[Holder]) -> list[Segment]:
    """Return the bar's parts in their true widths; narrow ones join those without a name."""
    total = add(*(one.balance for one in holders))
    if not total:
        return []
    named = [
        one for one in holders if (one.tag or one.wallet) and one.balance / total >= _NARROWEST
    ]
    segments, start = [], Decimal(0)
    for one in named:
        width = 100 * one.balance / total
        segments.append(Segment(start, width, one))
        start += width
    if start < 100 and (len(named) < len(holders)):
        segments.append(Segment(start, 100 - start, None))
    return segments
