"""Cells and columns of any kind of CSV: exports from explorers, Excel, Google Sheets, and our own.

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
from itertools import chain, islice, pairwise

from embed.domain.addresses import find_address, is_address
from embed.errors import InvalidInput
from embed.wallets.csv_format import COLUMNS
from embed.wallets.csv_words import count_known, find_role, find_yes_or_no
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

_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d")
_RANK = re.compile(r"[0-9]{1,9}")
_LONG_WORD = re.compile(r"\S{41}")  # a signature or a link
_SPACE_IN_NUMBER = re.compile("(?<=[0-9])[ \u00a0\u202f'\u2019](?=[0-9]{3}(?![0-9]))")
# By decimal separator; the other sign may separate thousands.
_NUMBERS = {
    point: re.compile(
        rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:\{other}[0-9]{{3}})+)?"
        rf"(?:(?<=[0-9])\{point}[0-9]*|\{point}[0-9]+)?(?:(?<=[0-9.,])[eE][+-]?[0-9]{{1,3}})?"
    )
    for point, other in (".,", ",.")
}


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a file, and what seems to be in its columns."""

    delimiter: str
    headings: Sequence[str]  # empty: the file has none
    columns: Sequence[str]  # each of COLUMNS at most once, or empty
    rows: Sequence[tuple[int, list[str]]]  # with the number of the line where each begins, from 1


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
    return Table(delimiter, headings, _recognize_columns(headings, filled), rows)


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
    with_addresses = sum(any(map(find_address, cells)) for cells in rows)
    return with_addresses, sum(map(count_known, rows[:1])), sum(map(len, rows))


def _split_again(cells: list[str]) -> list[str]:
    """Split a row again if it has another delimiter or is quoted as a whole."""
    is_line = len(cells) == len(cells[0].splitlines()) == 1  # csv reads nothing else as one row
    for delimiter in DELIMITERS if is_line else ():
        if delimiter in cells[0]:
            reader = csv.reader(cells, delimiter=delimiter, skipinitialspace=True)
            again = _clean(chain.from_iterable(reader))
            if any(map(find_address, again)) or count_known(again):
                return again
    return cells


def _has_heading(rows: Sequence[list[str]]) -> bool:
    """Tell whether the first row names the columns, in known words or other ones."""
    first, *others = rows
    if any(map(find_address, first)):
        return False
    has_digits = any(character.isdigit() for cell in first for character in cell)
    return count_known(first) > 0 or (
        not has_digits and any(find_address(cell) for cells in others for cell in cells)
    )


def _find_width(lengths: Iterable[int]) -> int:
    """Return the most common number of cells in a row; the largest wins a tie."""
    counts = Counter(lengths)
    return max(counts, key=lambda length: (counts[length], length))


def _recognize_columns(headings: Sequence[str], filled: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return what is in each column: each of COLUMNS at most once, or empty.

    `filled` has each column's first non-empty cells.
    """
    places = _name_columns(headings, filled) if headings else _guess_columns(filled)
    roles = {place: role for role, place in places.items()}
    return [roles.get(place, "") for place in range(len(filled))]


def _name_columns(headings: Sequence[str], filled: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the columns' places, going by headings; for the address, also by its cells."""
    named: dict[str, dict[int, list[int]]] = {role: {} for role in COLUMNS}
    for place, heading in enumerate(headings):
        role, rank = find_role(heading)
        if role:
            named[role].setdefault(rank, []).append(place)
    holding = _find_address_columns(filled)
    of_address = {
        rank: kept
        for rank, places in named["address"].items()
        if (kept := [place for place in places if place in holding])
    }
    if of_address or holding:
        named["address"] = of_address or {0: holding}
    surest = {role: ranks[min(ranks)] for role, ranks in named.items() if ranks}
    return {role: places[0] for role, places in surest.items() if len(places) == 1}


def _guess_columns(filled: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the places of columns without headings.

    They follow COLUMNS if all cells fit that order; else only the one column of a kind is found.
    """
    in_order = dict(zip(COLUMNS, range(len(filled)), strict=False))
    if len(filled) <= len(COLUMNS) and all(
        not filled[place] or _FITS[role](filled[place]) for role, place in in_order.items()
    ):
        return {role: place for role, place in in_order.items() if filled[place]}
    found = {}
    fitting = {
        role: [place for place, cells in enumerate(filled) if cells and _FITS[role](cells)]
        for role in ("alias", "balance")
    }
    for role, places in (("address", _find_address_columns(filled)), *fitting.items()):
        if len(places) == 1:
            found[role] = places[0]
    return found


def _find_address_columns(filled: Sequence[Sequence[str]]) -> list[int]:
    """Return the places of columns with addresses; those with links to some only without others."""
    for is_so in (is_address, find_address):
        if places := [place for place, cells in enumerate(filled) if _are_most(cells, is_so)]:
            return places
    return []


def _are_most(cells: Sequence[str], is_so: Callable[[str], object]) -> bool:
    return 2 * sum(bool(is_so(cell)) for cell in cells) > len(cells)


def _is_number(cell: str) -> bool:
    return bool(read_number(cell))


def _are_balances(cells: Sequence[str]) -> bool:
    is_rank = len(cells) > 1 and all(
        _RANK.fullmatch(one) and _RANK.fullmatch(other) and int(other) == int(one) + 1
        for one, other in pairwise(cells)
    )
    return _are_most(cells, _is_number) and not is_rank


def _are_texts(cells: Sequence[str]) -> bool:
    others = (find_address, _is_number, _DATE.match, _LONG_WORD.search)
    return not _are_most(cells, lambda cell: any(is_so(cell) for is_so in others))


_FITS: dict[str, Callable[[Sequence[str]], bool]] = {
    "address": lambda cells: _are_most(cells, find_address),
    "alias": _are_texts,
    "tags": _are_texts,
    "hidden": lambda cells: None not in map(find_yes_or_no, cells),
    "balance": _are_balances,
}


def read_number(cell: str) -> dict[str, str]:
    """Return the number for parse_amount, by each decimal separator that it may have."""
    number = _SPACE_IN_NUMBER.sub("", cell) if len(cell) <= 100 else ""
    return {
        point: number.replace("," if point == "." else ".", "").replace(point, ".")
        for point, form in _NUMBERS.items()
        if number[:1] and form.fullmatch(number)
    }
