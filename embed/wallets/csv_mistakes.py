"""Mistakes in a table of wallets: each with its line, and those of one kind together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

MAX_RANGES = 6
MAX_EXAMPLES = 3


class Kind(Enum):
    """What mistakes have in common; the value says it of several lines."""

    ADDRESS = "have no valid wallet address."
    REPEATED = "repeat the address of an earlier line."
    COLUMNS = "have more cells than there are columns."
    ALIAS = "have a name that cannot be used."
    TAG_NAME = "have a tag name that cannot be used."
    UNKNOWN_TAG = "name tags that the page does not have."
    HIDDEN = "say neither yes nor no under “hidden”."
    BALANCE = "have a balance that cannot be read."
    # At most once in a file, from this line on:
    HEADING = "name the columns wrongly."
    UNREADABLE = "cannot be read as CSV."
    TOO_MANY = "are too many for one file."
    PAGE_FULL = "are too many for the page."


@dataclass(frozen=True, slots=True)
class Mistake:
    number: int  # of the line in the file, from 1
    kind: Kind
    sentence: str


@dataclass(frozen=True, slots=True)
class MistakeGroup:
    """All mistakes of one kind, in the order of their lines."""

    kind: Kind
    mistakes: Sequence[Mistake]

    @property
    def title(self) -> str:
        """Say how many lines it concerns; of a single line, what is wrong there."""
        if len(self.mistakes) == 1:
            return f"Line {self.mistakes[0].number:,}: {self.mistakes[0].sentence}"
        return f"{len(self.mistakes):,} lines {self.kind.value}"

    @property
    def lines(self) -> str:
        """Name the first lines, neighbours as a range, and count the rest."""
        ranges = list(_join_neighbours(mistake.number for mistake in self.mistakes))
        shown = ranges[:MAX_RANGES]
        names = [f"{a:,}" if a == b else f"{a:,} to {b:,}" for a, b in shown]
        rest = len(self.mistakes) - sum(b - a + 1 for a, b in shown)
        if rest:
            return f"Lines {', '.join(names)} and {rest:,} more"
        return (
            f"Lines {', '.join(names[:-1])} and {names[-1]}" if names[1:] else f"Lines {names[0]}"
        )

    @property
    def examples(self) -> Sequence[Mistake]:
        return self.mistakes[:MAX_EXAMPLES] if len(self.mistakes) > 1 else ()


def group_mistakes(mistakes: Iterable[Mistake]) -> list[MistakeGroup]:
    """Put mistakes of one kind together, the largest group first."""
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
