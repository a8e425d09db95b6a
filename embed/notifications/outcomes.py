"""How sending a message went."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Outcome:
    is_delivered: bool
    answer: str  # short words for the owner, without the target
    is_final: bool = False  # a failure that trying again cannot mend
    retry_after: timedelta | None = None  # as the receiver asked
