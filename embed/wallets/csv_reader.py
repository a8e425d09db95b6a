"""Wallets from any kind of CSV: exports from explorers, Excel, Google Sheets, and our own.

codecs decodes, but can't detect the encoding of a file without a byte order mark. csv.Sniffer finds
no delimiter in files with one column or few rows, mistakes a comma in a name for one, and its
has_header misses the heading of short tables. Addresses are a better guide: the right delimiter
separates them, and a heading has none.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice

from embed.domain.addresses import is_address
from embed.domain.amounts import format_amount, parse_amount
from embed.domain.texts import parse_optional_text
from embed.errors import InvalidInput
from embed.wallets.csv_columns import YES_NO, count_known, read_number, recognize_columns
from embed.wallets.csv_format import COLUMNS, Line, split_tags, unescape_formula
from embed.wallets.csv_mistakes import Kind, Mistake
from embed.wallets.tracking import PageFull

DELIMITERS = (",", ";", "\t")
MAX_COLUMNS = 50
_MAX_LINE = 100_000  # characters; below the limit that csv has for a cell
_SAMPLE = 500  # rows read to recognize a column
_END = ["\0"]  # our own last row, which an unclosed quotation mark would swallow

# .xlsx and .ods are ZIP files, .xls is an OLE file.
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?(?=[\r\n]|$)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a file, and what seems to be in its columns."""

    delimiter: str
    headings: Sequence[str]  # empty: the file has none
    columns: Sequence[str]  # each of COLUMNS at most once, or empty
    rows: Sequence[tuple[int, list[str]]]  # with the number of the line where each begins, from 1


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """Wallets to import. A line with mistakes is in `mistakes` only."""

    lines: Sequence[Line]
    mistakes: Sequence[Mistake]


def decode_csv(raw: bytes) -> str:
    """Return the text of a file: UTF-8, UTF-16, or else Windows-1252. Raises InvalidInput."""
    if raw.startswith(_WORKBOOKS):
        raise InvalidInput(
            "This is a workbook, which can't be imported. Save it as CSV, then choose that file."
        )
    encodings = ["utf-8-sig", "cp1252"]
    if raw.startswith(_UTF_16_MARKS):
        encodings = ["utf-16"]
    elif b"\0" in raw[:2]:
        encodings = ["utf-16-be" if raw[0] == 0 else "utf-16-le"]
    for encoding in encodings:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InvalidInput(
        "This file's text can't be read. Save it as “CSV UTF-8”, then choose that file."
    )


def read_table(text: str, *, max_wallets: int) -> Table:
    """Return the cells of a text with up to `max_wallets` rows. Raises InvalidInput, PageFull."""
    if "\0" in text:
        raise InvalidInput("This isn't a text file. Save it as CSV, then choose that file.")
    marked = _SEPARATOR_LINE.match(text)
    text = text[marked.end() if marked else 0 :]
    delimiter = marked[1] if marked else max(DELIMITERS, key=lambda one: _rate(text, one))
    read = islice(_read_rows(text, delimiter), max_wallets + 2)  # a heading, and one too many
    rows = [(number, _split_again(cells)) for number, cells in read]
    headings: list[str] = []
    if rows and _has_heading([cells for _, cells in rows[:_SAMPLE]]):
        headings = rows.pop(0)[1]
    if len(rows) > max_wallets:
        raise PageFull(max_wallets)
    if not rows:
        raise InvalidInput("There are no wallets in this file.")
    width = len(headings) or _find_width(len(cells) for _, cells in rows)
    filled = [
        [cells[place] for _, cells in rows[:_SAMPLE] if cells[place : place + 1] not in ([], [""])]
        for place in range(width)
    ]
    return Table(delimiter, headings, recognize_columns(headings, filled), rows)


def _read_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows that are not empty, without padding. Raises InvalidInput.

    A cell may span several lines.
    """
    lines = chain(_split_lines(text), _END)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    number = 1
    try:
        for raw in reader:
            cells = _clean(raw)
            if cells == _END:
                return
            if len(cells) > MAX_COLUMNS:
                raise InvalidInput(
                    "Line %(line)s has %(count)s columns; an import reads up to %(max)s. Delete "
                    "the ones you don't need, then choose the file again.",
                    line=number,
                    count=len(cells),
                    max=MAX_COLUMNS,
                )
            if cells and cells[-1].endswith(_END[0]):
                break
            if cells:
                yield number, cells
            number = reader.line_num + 1
    except csv.Error:  # a cell is longer than csv allows
        pass
    raise InvalidInput(
        "A quotation mark on line %(line)s isn't closed. Close or remove it, then choose the file"
        " again.",
        line=number,
    )


def _clean(raw: Iterable[str]) -> list[str]:
    cells = [cell.strip() for cell in raw]
    while cells and not cells[-1]:  # spreadsheets end rows with empty cells
        cells.pop()
    return cells


def _split_lines(text: str) -> Iterator[str]:
    """Raises InvalidInput."""
    for number, line in enumerate(io.StringIO(text, newline=""), 1):
        if len(line) > _MAX_LINE:
            raise InvalidInput(
                "Line %(line)s has more than %(max)s characters. Put each wallet on a line of its"
                " own, then choose the file again.",
                line=number,
                max=_MAX_LINE,
            )
        yield line


def _rate(text: str, delimiter: str) -> tuple[int, ...]:
    """Return how well a delimiter separates the first cells, for comparison."""
    first_lines = io.StringIO(text[:_MAX_LINE], newline="")
    reader = csv.reader(first_lines, delimiter=delimiter, skipinitialspace=True)
    rows = list(islice(filter(None, map(_clean, reader)), 20))
    with_addresses = sum(any(map(is_address, cells)) for cells in rows)
    return with_addresses, sum(map(count_known, rows[:1])), sum(map(len, rows))


def _split_again(cells: list[str]) -> list[str]:
    """Split a row again if it has another delimiter or is quoted as a whole."""
    is_line = len(cells) == len(cells[0].splitlines()) == 1  # csv reads nothing else as one row
    for delimiter in DELIMITERS if is_line else ():
        if delimiter in cells[0]:
            reader = csv.reader(cells, delimiter=delimiter, skipinitialspace=True)
            again = _clean(chain.from_iterable(reader))
            if any(map(is_address, again)) or count_known(again):
                return again
    return cells


def _has_heading(rows: Sequence[list[str]]) -> bool:
    """Tell whether the first row names the columns, in known words or other ones."""
    first, *others = rows
    if any(map(is_address, first)):
        return False
    has_digits = any(character.isdigit() for cell in first for character in cell)
    return count_known(first) > 0 or (
        not has_digits and any(is_address(cell) for cells in others for cell in cells)
    )


def _find_width(lengths: Iterable[int]) -> int:
    """Return the most common number of cells in a row; the largest wins a tie."""
    counts = Counter(lengths)
    return max(counts, key=lambda length: (counts[length], length))


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
            "%(cell)s belongs to none of the columns.", cell=shorten_cell(cells[len(columns)])
        )
        return [Mistake(number, Kind.COLUMNS, cause)], None
    raw = dict.fromkeys(columns, "") | dict(zip(columns, cells, strict=False))
    address = unescape_formula(raw["address"])
    if not is_address(address):
        cause = InvalidInput("%(cell)s isn't a wallet address.", cell=shorten_cell(address))
        return [Mistake(number, Kind.ADDRESS, cause)], None
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
        is_hidden = YES_NO.get(raw["hidden"].lower())
        if is_hidden is None:
            cell = shorten_cell(raw["hidden"])
            note(Kind.HIDDEN, InvalidInput("Hidden must be yes or no, not %(cell)s.", cell=cell))
    try:
        if raw.get("balance"):
            balance = parse_balance(raw["balance"])
    except InvalidInput as mistake:
        cause = InvalidInput(
            "%(cell)s isn't a balance. %(reason)s",
            cell=shorten_cell(raw["balance"]),
            reason=mistake,
        )
        note(Kind.BALANCE, cause)
    return found, Line(address, alias, tag_names, is_hidden, balance, number)


def _drop_escape(cell: str) -> str:
    """Return the text of a cell. Raises InvalidInput for a formula, as no file should have one."""
    if cell.startswith("="):
        raise InvalidInput(
            "%(cell)s is a formula. Save its result instead, or start it with an apostrophe.",
            cell=shorten_cell(cell),
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


def shorten_cell(raw: str) -> str:
    return repr(raw if len(raw) <= 60 else f"{raw[:59]}…")
