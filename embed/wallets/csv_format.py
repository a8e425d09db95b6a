"""Wallets as CSV for spreadsheets: address, alias, tags, hidden, balance, in any order.

An export also has each wallet's share of the supply, which is not imported.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from embed.domain.addresses import is_address
from embed.domain.amounts import find_share, format_amount, parse_amount
from embed.domain.texts import parse_optional_text, parse_text
from embed.errors import InvalidInput
from embed.wallets.csv_mistakes import Kind, Mistake

COLUMNS = ("address", "alias", "tags", "hidden", "balance")
MAX_LINES = 10_000
MAX_NAMED = 10  # of the columns that a sentence names

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
    unread_columns: str = ""  # the names of those that are not ours, for owners


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
            f"Line {number} is not UTF-8; save the file as “CSV UTF-8”, and try again."
        ) from None


def parse_sheet(text: str) -> Sheet:
    """Read a table. A line with mistakes is in `mistakes` only.

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
            if count > MAX_LINES:
                sentence = f"More than {MAX_LINES:,} wallets; split the file."
                return Sheet([], [Mistake(number, Kind.TOO_MANY, sentence)])
            found, line = _parse_line(number, cells, heading or COLUMNS)
            if line is not None:
                first = first_numbers.setdefault(line.address, number)
                if first != number:
                    sentence = f"The address is on line {first} already."
                    found.append(Mistake(number, Kind.REPEATED, sentence))
            mistakes += found
            if line is not None and not found:
                lines.append(line)
    except InvalidInput as mistake:
        return Sheet([], [Mistake(number, Kind.HEADING, str(mistake))])
    except csv.Error as error:
        sentence = f"This cannot be read as CSV: {error}."
        mistakes.append(Mistake(reader.line_num, Kind.UNREADABLE, sentence))
    return Sheet(lines, mistakes, _name_unknown(heading))


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
        raise InvalidInput(f"The first line names more than one column “{twice[0]}”.")
    while not names[-1]:  # spreadsheets end lines with empty cells
        names = names[:-1]
    return names


def _name_unknown(columns: tuple[str, ...]) -> str:
    """Name the columns that are not ours, those without a name by their place."""
    unknown = dict.fromkeys(
        _shorten(name) if name else f"number {place}"
        for place, name in enumerate(columns, 1)
        if name not in COLUMNS
    )
    shown, rest = list(unknown)[:MAX_NAMED], len(unknown) - MAX_NAMED
    return ", ".join(shown) + (f" and {rest:,} more" if rest > 0 else "")


def _parse_line(
    number: int, cells: list[str], columns: tuple[str, ...]
) -> tuple[list[Mistake], Line | None]:
    """Return what is wrong, and the line if its address is valid."""
    beyond = next((cell for cell in cells[len(columns) :] if cell.strip()), None)
    if beyond is not None:
        sentence = f"{_shorten(beyond)} is in none of the columns."
        return [Mistake(number, Kind.COLUMNS, sentence)], None
    raw = {
        name: unescape_formula(cell).strip()
        for name, cell in zip(columns, cells, strict=False)
        if name in COLUMNS
    }
    address = raw.get("address", "")
    if not is_address(address):
        is_one_cell = len(cells) == 1 and (";" in address or "\t" in address)
        hint = " Separate columns by commas." if is_one_cell else ""
        sentence = f"{_shorten(address)} is not a wallet address.{hint}"
        return [Mistake(number, Kind.ADDRESS, sentence)], None
    found: list[Mistake] = []

    def note(kind: Kind, sentence: str) -> None:
        found.append(Mistake(number, kind, sentence))

    alias = tag_names = is_hidden = balance = None
    try:
        if "alias" in raw:
            alias = parse_optional_text(raw["alias"], "alias", field="alias", max_length=100) or ""
    except InvalidInput as mistake:
        note(Kind.ALIAS, str(mistake))
    try:
        if "tags" in raw:
            tag_names = _split_tags(raw["tags"])
    except InvalidInput as mistake:
        note(Kind.TAG_NAME, str(mistake))
    if "hidden" in raw:
        is_hidden = _YES_NO.get(raw["hidden"].lower())
        if is_hidden is None:
            note(Kind.HIDDEN, f"Hidden must be yes or no, not {_shorten(raw['hidden'])}.")
    try:
        if raw.get("balance"):
            balance = parse_amount(raw["balance"])
    except InvalidInput as mistake:
        note(Kind.BALANCE, f"{_shorten(raw['balance'])} is not a balance. {mistake}")
    return found, Line(address, alias, tag_names, is_hidden, balance, number)


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
