"""Reading a page's file, which anybody may have written: every line is checked."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

import msgspec
from msgspec import Struct

from embed.errors import InvalidInput
from embed.maintenance.page_file.lines import FORMAT, Header, Row, Trailer
from embed.maintenance.page_file.records import ANY_RECORD
from embed.maintenance.page_file.references import References

MAX_LINE_BYTES = 4 * 1024 * 1024  # many times the longest that the service writes
_MAX_REASON = 300  # characters

_decode_row: Any = msgspec.json.Decoder(ANY_RECORD).decode
_decode_trailer = msgspec.json.Decoder(Trailer).decode


class _FirstLine(Struct):
    """What the first line has in every version of the format."""

    type: str
    format: str


class _AnyLine(Struct):
    type: str


_read_type = msgspec.json.Decoder(_AnyLine).decode


def read_records(file: IO[bytes]) -> Iterator[tuple[int, Row]]:
    """Yield the number of each line with its record, and check at the end that none is missing.

    Raises InvalidInput, which names the line, also after the last record.
    """
    digest, counts, references = hashlib.sha256(), Counter[str](), References()
    number = 0
    for number, line in enumerate(_read_lines(file), start=1):
        try:
            if number == 1:
                _check_header(line)
            elif _read_type(line).type == "trailer":
                references.check_end()
                _check_trailer(_decode_trailer(line), counts, digest.hexdigest())
                break
            else:
                record = decode_record(line)
                references.check(record)
                counts[get_type(record)] += 1
                yield number, record
        except (ValueError, RecursionError) as mistake:  # msgspec's errors are ValueErrors, too
            raise _name_line(number, mistake) from None
        digest.update(line)
    else:
        raise InvalidInput(f"The file ends after line {number} without its last line, the trailer.")
    if file.read(1):
        raise InvalidInput(f"Line {number + 1}: nothing may follow the trailer.")


def get_type(record: Row) -> str:
    return str(record.__struct_config__.tag)


def _read_lines(file: IO[bytes]) -> Iterator[bytes]:
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise InvalidInput(f"Line {number}: longer than {MAX_LINE_BYTES:,} bytes.")
        if not line.endswith(b"\n"):
            raise InvalidInput(f"The file ends in the middle of line {number}.")
        yield line


def decode_record(line: bytes) -> Row:
    """Raises ValueError with what is wrong."""
    record: Row = _decode_row(line)
    for one in _list_rows(record):
        one.check()
        one.read_columns()
    return record


def _list_rows(record: Row) -> Iterator[Row]:
    """Yield a record, and the rows inside it."""
    yield record
    for name in record.__struct_fields__:
        value: Any = getattr(record, name)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, Row):
                yield each


def _check_header(line: bytes) -> None:
    try:
        first = msgspec.json.decode(line, type=_FirstLine)
    except (ValueError, RecursionError):
        raise ValueError("this is not a page's file: its header is missing.") from None
    if first.type != "header" or not first.format.startswith(f"{FORMAT.partition('/')[0]}/"):
        raise ValueError("this is not a page's file: its header is missing.")
    if first.format != FORMAT:
        raise ValueError(
            f"the file has the format {first.format}, and this version reads only {FORMAT};"
            " a newer one may read it."
        )
    msgspec.json.decode(line, type=Header)


def _check_trailer(trailer: Trailer, counts: Counter[str], sha256: str) -> None:
    if trailer.records != counts:
        raise ValueError("lines are missing, or there are more than the trailer counts.")
    if trailer.sha256 != sha256:
        raise ValueError("the file was changed: its SHA-256 is not the trailer's.")


def _name_line(number: int, mistake: Exception) -> InvalidInput:
    reason = str(mistake)
    if isinstance(mistake, UnicodeDecodeError):
        reason = "not UTF-8."
    elif isinstance(mistake, RecursionError):
        reason = "nested too deeply."
    printable = "".join(each if each.isprintable() else " " for each in reason)
    if len(printable) > _MAX_REASON:
        printable = f"{printable[:_MAX_REASON]}…"
    return InvalidInput(f"Line {number}: {printable}")
