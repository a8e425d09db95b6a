"""What one query reads of a tracked wallet."""

from dataclasses import dataclass
from decimal import Decimal

from embed.db.models import Tag

LOW_IN_A_ROW = 2  # observations below the minimum after which a wallet is flagged


@dataclass(frozen=True, slots=True)
class TrackedWallet:
    """A wallet with its balance and tags."""

    id: str
    address: str
    public_alias: str | None
    is_hidden: bool
    token_balance: Decimal  # whole tokens
    tags: tuple[Tag, ...]
    # By the holding watch:
    is_flagged: bool
    is_withheld: bool  # off the public list until it holds the minimum again
