"""Reading a page's file, which anybody may have written: every line is checked."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

import msgspec
from peewee import ForeignKeyField

from embed.db.models import APPROVED, ApiKey, Block, Message, Proof, Receiver, Submission, Wallet
from embed.domain.deny_list import parse_pattern
from embed.domain.origins import parse_origin
from embed.errors import InvalidInput
from embed.events.messages import read_data
from embed.maintenance.page_file.instants import limit_instants
from embed.maintenance.page_file.tables import (
    FORMAT,
    LINE,
    SHARED,
    TABLES,
    VERSION,
    Columns,
    Header,
    Table,
    Trailer,
)

MAX_LINE_BYTES = 4 * 1024 * 1024  # many times the longest that the service writes
_MAX_REASON = 300  # characters


@dataclass(frozen=True, slots=True)
class Row:
    """A line, as the row of its table."""

    table: Table
    columns: Columns
    parts: dict[Table, list[Columns]]

    @property
    def rows(self) -> dict[Table, list[Columns]]:
        """The row and those of its parts."""
        return {self.table: [self.columns]} | self.parts

    @property
    def key(self) -> str:
        """What the row is known by in the file."""
        return str(self.columns.get(self.table.key.name))


class PageFile:
    """A file, whose lines are checked by themselves and against those before them."""

    def __init__(self, file: IO[bytes], now: datetime) -> None:
        self._file = file
        self._now = now
        self.version = 0  # of the format, once the first line is read
        self._counts = Counter[str]()
        # What lines may refer to, by model and id; of an approved submission, also its address.
        self._known: defaultdict[Any, dict[str, str | None]] = defaultdict(dict)
        self._last: dict[str, str] = {}  # the key of the last row of what pages share

    def read_rows(self) -> Iterator[tuple[int, Row]]:
        """Yield rows with their lines' numbers, and check at the end that none is missing.

        Raises InvalidInput, which names the line, also after the last row.
        """
        digest = hashlib.sha256()
        number = 0
        for number, raw in enumerate(self._read_lines(), start=1):
            try:
                if number == 1:
                    self.version = _read_header(raw)
                else:
                    row = read_line(raw, self.version)
                    if isinstance(row, Trailer):
                        self._check_trailer(row, digest.hexdigest())
                        break
                    self._check_row(number, row)
                    self._counts[row.table.name] += 1
                    yield number, row
            except (ValueError, RecursionError) as mistake:  # msgspec's errors are ValueErrors, too
                raise _name_line(number, mistake) from None
            digest.update(raw)
        else:
            raise InvalidInput(
                f"The file ends after line {number} without its last line, the trailer."
            )
        if self._file.read(1):
            raise InvalidInput(f"Line {number + 1}: nothing may follow the trailer.")

    def _read_lines(self) -> Iterator[bytes]:
        number = 0
        while line := self._file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise InvalidInput(f"Line {number}: longer than {MAX_LINE_BYTES:,} bytes.")
            if not line.endswith(b"\n"):
                raise InvalidInput(f"The file ends in the middle of line {number}.")
            yield line

    def _check_row(self, number: int, row: Row) -> None:
        """Raises ValueError with what is wrong with a row at this place."""
        table, columns = row.table, row.columns
        for place, ordinal, name in ((2, "second", "owner"), (3, "third", "page")):
            if (number == place) != (table.name == name):
                raise ValueError(f"the {ordinal} line, and no other, is the {name}.")
        if table.model is Wallet and columns["submission"] is not None:
            self._check_approved(columns["submission"], columns["address"])
        for each, rows in row.rows.items():
            for one in rows:
                limit_instants(each, one, self._now)
            for field in each.columns.values():
                if isinstance(field, ForeignKeyField):
                    self._check_known(field.rel_model, [one[field.name] for one in rows])
        if table.model._meta.backrefs and columns.get("status", "approved") in APPROVED:
            self._known[table.model][row.key] = columns.get("wallet_address")
        if table.model in SHARED:
            self._check_order(table.name, row.key)

    def _check_known(self, model: Any, ids: list[str | None]) -> None:
        """Check what rows of one line refer to; two of them do not refer to the same."""
        name = next(table.name for table in TABLES.values() if table.model is model)
        for each in ids:
            if each is not None and each not in self._known[model]:
                raise ValueError(f"no line before this one has the {name} {each}.")
        if len(set(ids)) < len(ids):
            raise ValueError(f"a {name} is named twice.")

    def _check_approved(self, submission: str, address: str) -> None:
        if self._known[Submission].get(submission) != address:
            raise ValueError(f"no line before this one is its approved submission {submission}.")

    def _check_order(self, name: str, key: str) -> None:
        """Rows that other pages share may be there already, so the database finds no twin."""
        if key <= self._last.get(name, ""):
            raise ValueError("twice in the file, or not in the order of the texts' bytes.")
        self._last[name] = key

    def _check_trailer(self, trailer: Trailer, sha256: str) -> None:
        if "page" not in self._counts:
            raise ValueError("there is no page before the trailer.")
        if trailer.records != self._counts:
            raise ValueError("lines are missing, or there are more than the trailer counts.")
        if trailer.sha256 != sha256:
            raise ValueError("the file was changed: its SHA-256 is not the trailer's.")


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


def read_line(raw: bytes, version: int = VERSION) -> Row | Trailer:
    """Raises ValueError with what is wrong."""
    if version < VERSION:
        raw = _renew(raw)
    line: Any = msgspec.json.decode(raw, type=LINE)
    if isinstance(line, Trailer):
        return line
    table = TABLES[line.__struct_config__.tag]
    row = Row(table, table.read_columns(line), {each: each.unpack(line) for each in table.parts})
    for each, rows in row.rows.items():
        for columns in rows if each.model in _CHECKS else ():
            _CHECKS[each.model](columns)
    return row


def _renew(raw: bytes) -> bytes:
    """Give an older line the columns that migrations gave its table since version 0.5."""
    line = msgspec.json.decode(raw)
    match line:
        case {"type": "page"}:
            line = {"look": None} | line
        case {"type": "key", "preview": is_preview}:
            del line["preview"]
            line["purpose"] = "preview" if is_preview else "sites"
        case {"type": "submission"}:
            line.pop("hasAddedWallet", None)
            line = {"reasonCode": None, "reasonText": None} | line
        case {"type": "tag"}:
            line = {"counted": True} | line
        case {"type": "token"}:
            line = {"supplyObservedAtIso": None} | line
        case {"type": "wallet"}:  # see also _link_wallets, which needs the whole file
            line = {"submissionId": None, "withdrawn": False} | line
        case {"type": "activity", "subject": str(subject)}:
            line["data"] = msgspec.json.encode({"text": subject}).decode()
            del line["subject"]
    return msgspec.json.encode(line)


def _check_key(row: Columns) -> None:
    for origin in row["origins"]:  # the widget's Content-Security-Policy lists them
        if parse_origin(origin) != origin:
            raise ValueError(f"{origin} is not how the service writes an origin.")


def _check_wallet(row: Columns) -> None:
    if row["is_withdrawn"] and row["submission"] is not None:
        raise ValueError("A wallet that is withdrawn has no submissionId.")


def _check_submission(row: Columns) -> None:
    status = row["status"]
    if (row["decided_at"] is None) != (status == "pending"):
        raise ValueError(f"A submission that is {status} has another decidedAtIso.")
    if (row["reject_reason"] is not None) != (status in ("rejected", "soft_rejected")):
        raise ValueError(f"A submission that is {status} has another rejectReason.")
    reasons = [row[name] for name in ("reason_code", "reason_text") if row[name] is not None]
    if len(reasons) > (1 if status == "rejected" else 0):
        raise ValueError(f"A submission that is {status} has another reasonCode or reasonText.")


def _check_proof(row: Columns) -> None:
    if not row["message"].replace("\n", "").isprintable():
        raise ValueError("The message contains a character that no message has.")


def _check_receiver(row: Columns) -> None:
    is_webhook = row["kind"] == "webhook"
    if is_webhook != (row["secret"] is not None):
        raise ValueError("A webhook has a secret, and a channel has none.")
    if is_webhook != (row["signing_key"] is not None):
        raise ValueError("A webhook has a signing key, and a channel has none.")
    if is_webhook and not row["target"].startswith(("http://", "https://")):
        raise ValueError("The target of a webhook begins with https:// or http://.")


def _check_block(row: Columns) -> None:
    if parse_pattern(row["kind"], row["pattern"]) != row["pattern"]:
        raise ValueError(f"{row['pattern']} is not how the service writes what is blocked.")


def _check_message(row: Columns) -> None:
    try:
        read_data(row["type"], row["data"])
    except ValueError as mistake:
        raise ValueError(f"The data are not those of {row['type']}: {mistake}.") from None


# What no column says alone. The database checks some of it, too, in words that say less.
_CHECKS: dict[Any, Callable[[Columns], None]] = {
    ApiKey: _check_key,
    Wallet: _check_wallet,
    Submission: _check_submission,
    Proof: _check_proof,
    Receiver: _check_receiver,
    Message: _check_message,
    Block: _check_block,
}


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
