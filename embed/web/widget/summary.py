"""What the wallets of a list are together: how much of it is of which tag."""

from decimal import Decimal
from typing import NamedTuple

from embed.public_payload.payloads import Payload
from embed.schemas import Tag

BAR_WIDTH = 1000
_GAP = 3


class Part(NamedTuple):
    """A part of the bar that shows what wallets hold, by their first tags."""

    tag: Tag | None
    share: Decimal  # of 1
    x: float
    width: float


def split_by_tag(payload: Payload) -> list[Part]:
    """Return the parts in the order of the page's tags; none if that would be one part."""
    amounts = payload.standings.parts
    tags = [tag for tag in payload.details["tags"] if amounts.get(tag.id)]
    total = sum(amounts.values())
    if not tags or not total:
        return []
    parts: list[Part] = []
    x = 0.0
    for tag in (*tags, *([None] if amounts.get(None) else [])):
        share = amounts[tag.id if tag else None] / total
        width = float(share) * BAR_WIDTH
        parts.append(Part(tag, share, round(x, 1), round(max(width - _GAP, 1), 1)))
        x += width
    return parts if len(parts) > 1 else []
