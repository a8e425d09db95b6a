"""Reading a page's file, which anybody may have written: every line is checked."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import IO, Any

import msgspec
from peewee import ForeignKeyField

from embed.db.models import APPROVED, Activity, Message, Proof, Receiver, Submission, Wallet
from embed.domain.activity import find_address, parse_old_subject, read_facts
from embed.errors import InvalidInput
from embed.maintenance.page_file.tables import (
    FORMAT,
    LINE,
    OLDER_LINE,
    SHARED,
    TABLES,
    VERSION,
    Header,
    Table,
)

MAX_LINE_BYTES = 4 * 1024 * 1024  # many times the longest that the service writes
_MAX_REASON = 300  # characters

Line = dict[str, Any]


def read_lines(file: IO[bytes]) -> Iterator[tuple[int, Line]]:
    """Yield the number of each line with its row, and check at the end that none is missing.

    The first has the version of the format instead. Raises InvalidInput, which names the line,
    also after the last row.
    """
    digest, counts, references = hashlib.sha256(), Counter[str](), _References()
    number = version = 0
    for number, raw in enumerate(_read_raw_lines(file), start=1):
        try:
            if number == 1:
                version = _read_header(raw)
                yield number, {"type": "header", "version": version}
            else:
                line = decode_line(raw, version)
                if line["type"] == "trailer":
                    _check_trailer(line, counts, digest.hexdigest())
                    break
                references.check(number, line)
                counts[line["type"]] += 1
                yield number, line
        except (ValueError, RecursionError) as mistake:  # msgspec's errors are ValueErrors, too
            raise _name_line(number, mistake) from None
        digest.update(raw)
    else:
        raise InvalidInput(f"The file ends after line {number} without its last line, the trailer.")
    if file.read(1):
        raise InvalidInput(f"Line {number + 1}: nothing may follow the trailer.")


def _read_raw_lines(file: IO[bytes]) -> Iterator[bytes]:
    for number, line in enumerate(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), start=1):
        if len(line) > MAX_LINE_BYTES:
            raise InvalidInput(f"Line {number}: longer than {MAX_LINE_BYTES:,} bytes.")
        if not line.endswith(b"\n"):
            raise InvalidInput(f"The file ends in the middle of line {number}.")
        yield line


def _read_header(raw: bytes) -> int:
    """Return the version of the format."""
    if f'"{FORMAT}/'.encode() not in raw:
        raise ValueError("this is not a page's file: its header is missing.")
    given = msgspec.json.decode(raw, type=Header).format
    version = int(given.partition("/")[2])
    if version > VERSION:
        raise ValueError(
            f"the file has the format {given}, and this version reads them up to"
            f" {FORMAT}/{VERSION}; a newer one may read it."
        )
    return version


def decode_line(raw: bytes, version: int = VERSION) -> Line:
    """Raises ValueError with what is wrong."""
    if version < 9:
        raw = _find_facts(raw)
    line_type = LINE if version == VERSION else OLDER_LINE
    decoded = msgspec.json.decode(raw, type=line_type)
    line: Line = msgspec.to_builtins(decoded, builtin_types=(bytes,))
    for table, rows in _list_rows(line):
        for row in rows:
            table.read_columns(row)
            if table.model in _CHECKS:
                _CHECKS[table.model](row)
    return line


def _find_facts(raw: bytes) -> bytes:
    """Give a line of the log, or a message, the columns that migration 9 gives it."""
    line = msgspec.json.decode(raw)
    match line:
        case {"type": "activity", "action": str(action), "subject": str(subject)}:
            line["data"] = parse_old_subject(action, subject)
    match line:
        case {"type": "activity" | "message", "data": str(data)}:
            line["address"] = find_address(read_facts(data))
            return msgspec.json.encode(line)
    return raw


def _list_rows(line: Line) -> Iterator[tuple[Table, list[Line]]]:
    """Yield a line as the row of its table, and then the rows of its parts."""
    if line["type"] != "trailer":
        table = TABLES[line["type"]]
        yield table, [line]
        for part in table.parts:
            yield part, part.unpack(line)


def _check_wallet(row: Line) -> None:
    if row["withdrawn"] and row["submissionId"] is not None:
        raise ValueError("A wallet that is withdrawn has no submissionId.")


def _check_submission(row: Line) -> None:
    status = row["status"]
    if (row["decidedAtIso"] is None) != (status == "pending"):
        raise ValueError(f"A submission that is {status} has another decidedAtIso.")
    if (row["rejectReason"] is not None) != (status in ("rejected", "soft_rejected")):
        raise ValueError(f"A submission that is {status} has another rejectReason.")


def _check_proof(row: Line) -> None:
    if not row["message"].replace("\n", "").isprintable():
        raise ValueError("The message contains a character that no message has.")


def _check_receiver(row: Line) -> None:
    is_webhook = row["kind"] == "webhook"
    if is_webhook != (row["secret"] is not None):
        raise ValueError("A webhook has a secret, and a channel has none.")
    if is_webhook and not row["target"].startswith(("http://", "https://")):
        raise ValueError("The target of a webhook begins with https:// or http://.")


def _check_data(row: Line) -> None:
    try:
        read_facts(row["data"])
    except (ValueError, RecursionError):
        raise ValueError("The data is no JSON object.") from None


# What no column says alone.
_CHECKS: dict[Any, Callable[[Line], None]] = {
    Wallet: _check_wallet,
    Submission: _check_submission,
    Proof: _check_proof,
    Receiver: _check_receiver,
    Activity: _check_data,
    Message: _check_data,
}


_REFERRED = {
    field.rel_model
    for table in TABLES.values()
    for each in (table, *table.parts)
    for field in each.columns.values()
    if isinstance(field, ForeignKeyField)
}


class _References:
    """Remembers the ids that later lines may refer to, and the last row that pages share."""

    def __init__(self) -> None:
        # Of each model to which columns refer, with the address of a submission.
        self._ids: dict[Any, dict[str, str | None]] = {}
        self._last: dict[str, str] = {}

    def check(self, number: int, line: Line) -> None:
        """Raises ValueError with what is wrong with this row at this place."""
        for place, ordinal, name in ((2, "second", "owner"), (3, "third", "page")):
            if (number == place) != (line["type"] == name):
                raise ValueError(f"the {ordinal} line, and no other, is the {name}.")
        if line["type"] == "wallet" and line["submissionId"] is not None:
            self._check_approved(line["submissionId"], line["address"])
        for table, rows in _list_rows(line):
            for name, field in table.columns.items():
                if isinstance(field, ForeignKeyField):
                    self._check_known(field.rel_model, [row[name] for row in rows])
        table = TABLES[line["type"]]
        if table.model in _REFERRED and line.get("status", "approved") in APPROVED:
            self._ids.setdefault(table.model, {})[line["id"]] = line.get("walletAddress")
        if table.model in SHARED:
            self._check_order(table.name, str(line.get(table.key.name)))

    def _check_known(self, model: Any, ids: list[str | None]) -> None:
        """Check what rows of one line refer to; two of them do not refer to the same."""
        known = self._ids.get(model, {})
        seen = set()
        for each in ids:
            if each is not None and (each not in known or each in seen):
                name = next(table.name for table in TABLES.values() if table.model is model)
                if each in seen:
                    raise ValueError(f"the {name} {each} is named twice.")
                raise ValueError(f"no line before this one has the {name} {each}.")
            seen.add(each)

    def _check_approved(self, submission: str, address: str) -> None:
        if self._ids.get(Submission, {}).get(submission) != address:
            raise ValueError(f"no line before this one is its approved submission {submission}.")

    def _check_order(self, name: str, key: str) -> None:
        """Rows that other pages share may be there already, so the database finds no twin."""
        if name in self._last and key <= self._last[name]:
            raise ValueError("twice in the file, or not in the order of the texts' bytes.")
        self._last[name] = key


def _check_trailer(trailer: Line, counts: Counter[str], sha256: str) -> None:
    if "page" not in counts:
        raise ValueError("there is no page before the trailer.")
    if trailer["records"] != counts:
        raise ValueError("lines are missing, or there are more than the trailer counts.")
    if trailer["sha256"] != sha256:
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
