"""The wallets in a table, and its mistakes, each with its line and grouped by kind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto
from itertools import groupby

from embed.domain.addresses import parse_pasted_address
from embed.domain.amounts import format_amount, parse_amount
from embed.domain.texts import parse_optional_text, quote
from embed.errors import InvalidInput
from embed.wallets.csv_format import COLUMNS, Line, split_tags, unescape_formula
from embed.wallets.csv_reader import Table, read_number
from embed.wallets.csv_words import find_yes_or_no

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


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """Wallets to import. A line with mistakes is in `mistakes` only."""

    lines: Sequence[Line]
    mistakes: Sequence[Mistake]


def parse_table(table: Table, columns: Sequence[str] = ()) -> ParsedTable:
    """Read wallets; `columns` corrects what was recognized. Raises InvalidInput."""
    columns = columns or table.columns
    for role in COLUMNS:
        if columns.count(role) > 1:
            raise InvalidInput("Two columns have the same meaning. Leave one of them out.")
    if "address" not in columns:
        raise InvalidInput(
            "It isn't clear which column has the addresses. Choose it, or name it “address” in "
            "the file's first line."
        )
    lines: list[Line] = []
    mistakes: list[Mistake] = []
    first_numbers: dict[str, int] = {}
    parse_balance = _make_balance_parser(table, columns)
    for number, cells in table.rows:
        found, line = _parse_line(number, cells, columns, parse_balance)
        if line is not None:
            first = first_numbers.setdefault(line.address, number)
            if first != number:
                cause = InvalidInput("The address is already on line %(line)s.", line=first)
                found.append(Mistake(number, Kind.REPEATED, cause))
        mistakes += found
        if line is not None and not found:
            lines.append(line)
    return ParsedTable(lines, mistakes)


def _parse_line(
    number: int,
    cells: Sequence[str],
    columns: Sequence[str],
    parse_balance: Callable[[str], Decimal],
) -> tuple[list[Mistake], Line | None]:
    """Return what is wrong, and the line if its address is valid."""
    if len(cells) > len(columns):
        cause = InvalidInput(
            "%(cell)s belongs to none of the columns.", cell=quote(cells[len(columns)])
        )
        return [Mistake(number, Kind.COLUMNS, cause)], None
    raw = dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False))
    try:
        address = parse_pasted_address(unescape_formula(raw["address"]))
    except InvalidInput as mistake:
        return [Mistake(number, Kind.ADDRESS, mistake)], None
    found: list[Mistake] = []

    def note(kind: Kind, cause: InvalidInput) -> None:
        found.append(Mistake(number, kind, cause))

    alias = tag_names = is_hidden = balance = None
    try:
        if "alias" in raw:
            name = _drop_escape(raw["alias"])
            alias = parse_optional_text(name, "alias", field="alias", max_length=100) or ""
    except InvalidInput as mistake:
        note(Kind.ALIAS, mistake)
    try:
        if "tags" in raw:
            tag_names = split_tags(_drop_escape(raw["tags"]))
    except InvalidInput as mistake:
        note(Kind.TAG_NAME, mistake)
    if "hidden" in raw:
        is_hidden = find_yes_or_no(raw["hidden"])
        if is_hidden is None:
            cell = quote(raw["hidden"])
            note(Kind.HIDDEN, InvalidInput("Hidden must be yes or no, not %(cell)s.", cell=cell))
    try:
        if raw.get("balance"):
            balance = parse_balance(raw["balance"])
    except InvalidInput as mistake:
        cause = InvalidInput(
            "%(cell)s isn't a balance. %(reason)s",
            cell=quote(raw["balance"]),
            reason=mistake,
        )
        note(Kind.BALANCE, cause)
    return found, Line(address, alias, tag_names, is_hidden, balance, number)


def _drop_escape(cell: str) -> str:
    """Return the text of a cell. Raises InvalidInput for a formula, as no file should have one."""
    if cell.startswith("="):
        raise InvalidInput(
            "%(cell)s is a formula. Save its result instead, or start it with an apostrophe.",
            cell=quote(cell),
        )
    return unescape_formula(cell)


def _make_balance_parser(table: Table, columns: Sequence[str]) -> Callable[[str], Decimal]:
    """Return a parser for balances written like the others in their column.

    On its own, a number such as 1.234 can mean either. Where commas separate the columns, the point
    is a decimal point, as in an export.
    """
    points = {".", ","}
    for _, cells in table.rows if "balance" in columns else ():
        raw = dict(zip(columns, cells, strict=False)).get("balance", "")
        points &= set(read_number(raw)) or points

    def parse_balance(cell: str) -> Decimal:
        read = {point: number for point, number in read_number(cell).items() if point in points}
        if not points:  # the column uses both as decimal separators
            read = read_number(cell)
        amounts = sorted({parse_amount(number) for number in (read or {"": cell}).values()})
        if len(amounts) > 1 and points and table.delimiter == "," and "," not in cell:
            return parse_amount(read["."])
        if len(amounts) > 1:
            raise InvalidInput(
                "It can mean %(one)s or %(other)s. Write balances without thousands separators.",
                one=format_amount(amounts[0]),
                other=format_amount(amounts[1]),
            )
        return amounts[0]

    return parse_balance


def group_mistakes(mistakes: Iterable[Mistake]) -> list[MistakeGroup]:
    """Group mistakes by kind, the largest group first."""
    by_kind: dict[Kind, list[Mistake]] = {}
    for mistake in mistakes:
        by_kind.setdefault(mistake.kind, []).append(mistake)
    groups = [MistakeGroup(kind, found) for kind, found in by_kind.items()]
    return sorted(groups, key=lambda group: -len(group.mistakes))


def _join_neighbours(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last number of each run of consecutive numbers."""
    for _, run in groupby(enumerate(numbers), key=lambda one: one[1] - one[0]):
        neighbours = [number for _, number in run]
        yield neighbours[0], neighbours[-1]
