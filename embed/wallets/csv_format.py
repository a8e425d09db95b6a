"""Wallets as CSV for spreadsheets: address, alias, tags, hidden, balance.

An export also has each wallet's share of the supply, which is not imported.
"""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from embed.domain.amounts import find_share, format_amount
from embed.domain.texts import parse_text

COLUMNS = ("address", "alias", "tags", "hidden", "balance")

# A spreadsheet would run a cell that begins like this, even with full-width signs, and where its
# language separates cells with semicolons, also the part after one. Writing adds an apostrophe in
# front and reading removes it; text that already begins with apostrophes gets one too, so none is
# lost.
_FORMULA = re.compile(r"(^|;)('*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])")
_ESCAPED_FORMULA = re.compile(r"(^|;)'('*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])")


@dataclass(frozen=True, slots=True)
class Line:
    """One wallet; None if the table has no such column, so the value stays unchanged."""

    address: str
    alias: str | None = None  # empty: none
    tag_names: tuple[str, ...] | None = None
    is_hidden: bool | None = None
    balance: Decimal | None = None
    number: int = 0  # line number in the file, from 1


def format_csv(lines: Iterable[Line], supply: Decimal | None = None) -> str:
    """Return a table, with shares of the supply as fractions of 1 if it's known."""
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


def _join_tags(names: Iterable[str]) -> str:
    return ";".join(name.replace("\\", "\\\\").replace(";", "\\;") for name in names)


def split_tags(raw: str) -> tuple[str, ...]:
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
