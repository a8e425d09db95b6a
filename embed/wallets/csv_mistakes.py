"""Mistakes in a table of wallets, each with its line, and grouped by kind."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from embed.errors import InvalidInput

MAX_RANGES = 6


class Kind(Enum):
    """What mistakes have in common."""

    ADDRESS = auto()
    REPEATED = auto()
    COLUMNS = auto()
    ALIAS = auto()
    TAG_NAME = auto()
    UNKNOWN_TAG = auto()
    HIDDEN = auto()
    BALANCE = auto()
    LISTED = auto()
    PAGE_FULL = auto()  # at most once, from this line on


@dataclass(frozen=True, slots=True)
class Mistake:
    number: int  # of the line in the file, from 1
    kind: Kind
    cause: InvalidInput


@dataclass(frozen=True, slots=True)
class MistakeGroup:
    """All mistakes of one kind, in the order of their lines."""

    kind: Kind
    mistakes: Sequence[Mistake]

    @property
    def ranges(self) -> Sequence[tuple[int, int]]:
        """Return the first and last numbers of runs of lines, as many as a sentence names."""
        return list(_join_neighbours(one.number for one in self.mistakes))[:MAX_RANGES]

    @property
    def rest(self) -> int:
        """Count the lines that are not in `ranges`."""
        return len(self.mistakes) - sum(last - first + 1 for first, last in self.ranges)


def group_mistakes(mistakes: Iterable[Mistake]) -> list[MistakeGroup]:
    """Group mistakes by kind, the largest group first."""
    by_kind: dict[Kind, list[Mistake]] = {}
    for mistake in mistakes:
        by_kind.setdefault(mistake.kind, []).append(mistake)
    groups = [MistakeGroup(kind, found) for kind, found in by_kind.items()]
    return sorted(groups, key=lambda group: -len(group.mistakes))


def _join_neighbours(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of each run of ascending numbers."""
    first = last = None
    for number in numbers:
        if first is None or last is None:
            first = number
        elif number != last + 1:
            yield first, last
            first = number
        last = number
    if first is not None and last is not None:
        yield first, last
