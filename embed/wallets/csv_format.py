"""Wallets as CSV for spreadsheets: address, alias, tags, hidden, balance, in any order.

An export also has each wallet's share of the supply, which is not imported.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from embed.domain.addresses import is_address
from embed.domain.amounts import find_share, format_amount, parse_amount
from embed.domain.texts import parse_optional_text, parse_text
from embed.errors import InvalidInput
from embed.wallets.csv_mistakes import Kind, Mistake
from embed.wallets.tracking import PageFull

COLUMNS = ("address", "alias", "tags", "hidden", "balance")

# A spreadsheet would run a cell that begins so, also with the full-width forms of the signs, and,
# where its language separates cells by semicolons, the part after one. One apostrophe is added in
# front when writing and removed when reading; what begins with apostrophes gets one too, so that
# none is lost.
_FORMULA = re.compile(r"(^|;)('*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])")
_ESCAPED_FORMULA = re.compile(r"(^|;)'('*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])")
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": False}


@dataclass(frozen=True, slots=True)
class Line:
    """One wallet; None: the table has no such column, so the value stays unchanged."""

    address: str
    alias: str | None = None  # empty: none
    tag_names: tuple[str, ...] | None = None
    is_hidden: bool | None = None
    balance: Decimal | None = None
    number: int = 0  # line number in the file, from 1


@dataclass(frozen=True, slots=True)
class Sheet:
    lines: list[Line]
    mistakes: list[Mistake]
    unread_columns: Sequence[str | int] = ()  # not ours: the names, or places where there is none


def format_sheet(lines: Iterable[Line], supply: Decimal | None = None) -> str:
    """Return a table, with the shares of the supply, as parts of 1, if it is known."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow((*COLUMNS, *(["share"] if supply else ())))
    for line in lines:
        cells = [
            line.address,
            line.alias or "",
            _join_tags(line.tag_names or ()),
            "yes" if line.is_hidden else "no",
            "" if line.balance is None else format_amount(line.balance),
        ]
        if supply:
            share = None if line.balance is None else find_share(line.balance, supply)
            cells.append("" if share is None else format_amount(share))
        writer.writerow([escape_formula(cell) for cell in cells])
    return out.getvalue()


def escape_formula(cell: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula."""
    return _FORMULA.sub(r"\1'\2", cell)


def unescape_formula(cell: str) -> str:
    return _ESCAPED_FORMULA.sub(r"\1\2", cell)


def decode_sheet(raw: bytes) -> str:
    """Return the text of a file. Raises InvalidInput, naming the line, unless it is UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = raw.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            "Line %(line)s is not UTF-8; save the file as “CSV UTF-8”, and try again.",
            line=number,
        ) from None


def parse_sheet(text: str, *, max_wallets: int) -> Sheet:
    """Read a table of up to `max_wallets`. A line with mistakes is in `mistakes` only.

    The first line may name the columns, which then have any order. Without it they have the order
    of COLUMNS, and later ones may be left out.
    """
    lines: list[Line] = []
    mistakes: list[Mistake] = []
    first_numbers: dict[str, int] = {}
    heading: tuple[str, ...] = ()
    count = 0
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for place, (number, cells) in enumerate(_number_rows(reader)):
            if place == 0 and (heading := _read_heading(cells)):
                continue
            count += 1
            if count > max_wallets:
                return Sheet([], [Mistake(number, Kind.PAGE_FULL, PageFull(max_wallets))])
            found, line = _parse_line(number, cells, heading or COLUMNS)
            if line is not None:
                first = first_numbers.setdefault(line.address, number)
                if first != number:
                    cause = InvalidInput("The address is on line %(line)s already.", line=first)
                    found.append(Mistake(number, Kind.REPEATED, cause))
            mistakes += found
            if line is not None and not found:
                lines.append(line)
    except InvalidInput as mistake:
        return Sheet([], [Mistake(number, Kind.HEADING, mistake)])
    except csv.Error as error:
        cause = InvalidInput("This cannot be read as CSV: %(error)s.", error=error)
        mistakes.append(Mistake(reader.line_num, Kind.UNREADABLE, cause))
    return Sheet(lines, mistakes, _list_unknown(heading))


def _number_rows(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield rows that are not empty with the number of the line where they begin.

    A cell may span several lines.
    """
    number = 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield number, cells
        number = reader.line_num + 1  # type: ignore[attr-defined]  # csv's


def _read_heading(cells: list[str]) -> tuple[str, ...]:
    """Return the names of the columns in lower case; none if the line is no heading.

    Raises InvalidInput.
    """
    names = tuple(cell.strip().lower() for cell in cells)
    ours = [name for name in names if name in COLUMNS]
    if not ours or any(is_address(cell.strip()) for cell in cells):
        return ()
    if COLUMNS[0] not in ours:
        raise InvalidInput("The first line names columns, but none of them is “address”.")
    if twice := [name for name, count in Counter(ours).items() if count > 1]:
        raise InvalidInput("The first line names more than one column “%(name)s”.", name=twice[0])
    while not names[-1]:  # spreadsheets end lines with empty cells
        names = names[:-1]
    return names


def _list_unknown(columns: tuple[str, ...]) -> list[str | int]:
    """Return the columns that are not ours: each name once, or the place of one without."""
    unknown = dict.fromkeys(
        _shorten(name) if name else place
        for place, name in enumerate(columns, 1)
        if name not in COLUMNS
    )
    return list(unknown)


def _parse_line(
    number: int, cells: list[str], columns: tuple[str, ...]
) -> tuple[list[Mistake], Line | None]:
    """Return what is wrong, and the line if its address is valid."""
    beyond = next((cell for cell in cells[len(columns) :] if cell.strip()), None)
    if beyond is not None:
        cause = InvalidInput("%(cell)s is in none of the columns.", cell=_shorten(beyond))
        return [Mistake(number, Kind.COLUMNS, cause)], None
    raw = {
        name: unescape_formula(cell).strip()
        for name, cell in zip(columns, cells, strict=False)
        if name in COLUMNS
    }
    address = raw.get("address", "")
    if not is_address(address):
        is_one_cell = len(cells) == 1 and (";" in address or "\t" in address)
        return [Mistake(number, Kind.ADDRESS, _refuse_address(address, is_one_cell))], None
    found: list[Mistake] = []

    def note(kind: Kind, cause: InvalidInput) -> None:
        found.append(Mistake(number, kind, cause))

    alias = tag_names = is_hidden = balance = None
    try:
        if "alias" in raw:
            alias = parse_optional_text(raw["alias"], "alias", field="alias", max_length=100) or ""
    except InvalidInput as mistake:
        note(Kind.ALIAS, mistake)
    try:
        if "tags" in raw:
            tag_names = _split_tags(raw["tags"])
    except InvalidInput as mistake:
        note(Kind.TAG_NAME, mistake)
    if "hidden" in raw:
        is_hidden = _YES_NO.get(raw["hidden"].lower())
        if is_hidden is None:
            cell = _shorten(raw["hidden"])
            note(Kind.HIDDEN, InvalidInput("Hidden must be yes or no, not %(cell)s.", cell=cell))
    try:
        if raw.get("balance"):
            balance = parse_amount(raw["balance"])
    except InvalidInput as mistake:
        cause = InvalidInput(
            "%(cell)s is not a balance. %(reason)s", cell=_shorten(raw["balance"]), reason=mistake
        )
        note(Kind.BALANCE, cause)
    return found, Line(address, alias, tag_names, is_hidden, balance, number)


def _refuse_address(cell: str, is_one_cell: bool) -> InvalidInput:
    if is_one_cell:
        return InvalidInput(
            "%(cell)s is not a wallet address. Separate columns by commas.", cell=_shorten(cell)
        )
    return InvalidInput("%(cell)s is not a wallet address.", cell=_shorten(cell))


def _join_tags(names: Iterable[str]) -> str:
    return ";".join(name.replace("\\", "\\\\").replace(";", "\\;") for name in names)


def _split_tags(raw: str) -> tuple[str, ...]:
    """Raises InvalidInput for a name that no tag can have."""
    parts = [""]
    characters = iter(raw)
    for character in characters:
        if character == ";":
            parts.append("")
        else:
            parts[-1] += next(characters, "\\") if character == "\\" else character
    names = [
        parse_text(part, "tag's name", field="tags", max_length=40)
        for part in parts
        if part.strip()
    ]
    return tuple(dict.fromkeys(names))


def _shorten(raw: str) -> str:
    return repr(raw if len(raw) <= 60 else f"{raw[:59]}…")
