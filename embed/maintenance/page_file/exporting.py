"""Writing a page with all that belongs to it into a file."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any

import msgspec
from peewee import CharField, Field, ForeignKeyField, Value, fn

from embed.db.connection import db
from embed.db.models import BaseModel, Delivery, Message, Page, Person, Receiver, Submission, Wallet
from embed.db.snapshots import in_byte_order, reading_one_state, stream
from embed.errors import InvalidInput
from embed.maintenance.page_file.reading import read_line
from embed.maintenance.page_file.tables import (
    FORMAT,
    SHARED,
    TABLES,
    VERSION,
    Header,
    Table,
    Trailer,
    list_page_columns,
    to_json,
)
from embed.pages import get_page

_BATCH = 500  # rows whose parts are read at once


# Mails that people asked for go to their accounts here; and messages that wait stay with the
# installation that sends them.
_IS_OWNERS = Receiver.person.is_null()
_IS_FINISHED = Delivery.state != "waiting"
_IS_CARRIED = _IS_FINISHED & Delivery.receiver.in_(Receiver.select(Receiver.id).where(_IS_OWNERS))
_CONDITIONS = {
    Receiver: _IS_OWNERS,
    Delivery: _IS_CARRIED,
    Message: fn.EXISTS(
        Delivery.select(Value(1)).where(Delivery.message == Message.number, _IS_CARRIED)
    ),
}


@dataclass(frozen=True, slots=True)
class Exported:
    counts: dict[str, int]  # lines by type
    sha256: str  # of the whole file
    waiting: int  # messages that are on their way to a receiver, which the file has not


def export_page(page_id: str, file: IO[bytes]) -> Exported:
    """Write a page into a file, from one state of the database. Raises NotFound, InvalidInput."""
    counts: defaultdict[str, int] = defaultdict(int)
    digest = hashlib.sha256()

    def write(line: bytes) -> None:
        digest.update(line + b"\n")
        file.write(line + b"\n")

    with reading_one_state():
        page = get_page(page_id)
        write(msgspec.json.encode(Header(f"{FORMAT}/{VERSION}")))
        for table in TABLES.values():
            for row in _read_table(table, page):
                line = msgspec.json.encode({"type": table.name} | row)
                _check_importable(line)
                write(line)
                counts[table.name] += 1
        waiting = Delivery.select().join(Receiver).where(Receiver.page == page, ~_IS_FINISHED)
        count = waiting.where(_IS_OWNERS).count()
    write(msgspec.json.encode(Trailer(dict(counts), digest.hexdigest())))
    return Exported(dict(counts), digest.hexdigest(), count)


def _check_importable(line: bytes) -> None:
    """Notice now, not when the file is needed, what could not be imported. Raises InvalidInput."""
    try:
        read_line(line)
    except ValueError as mistake:
        raise InvalidInput(f"The page holds a value that no file may have: {mistake}") from None


def _read_table(table: Table, page: Page) -> Iterator[dict[str, Any]]:
    """Yield the rows of a page in the order of the file, each with its parts."""
    key = table.model._meta.primary_key if table.parts else Value(0)
    query = table.model.select(key, *table.columns.values())
    query = query.where(*_list_conditions(table.model, page)).order_by(*_list_order(table))
    rows = stream(query)
    while batch := list(islice(rows, _BATCH)):
        packed = {part.name: _read_part(part, [key for key, *_ in batch]) for part in table.parts}
        for key, *stored in batch:
            parts = {part.name: part.pack(packed[part.name][key]) for part in table.parts}
            yield _convert(table, stored) | parts


def _read_part(part: Table, keys: list[Any]) -> defaultdict[Any, list[dict[str, Any]]]:
    """Return the rows of a part by the key of the row that they belong to."""
    query = part.model.select(part.parent, *part.columns.values())
    query = query.where(part.parent.in_(keys), _CONDITIONS.get(part.model, Value(True)))
    rows = defaultdict(list)
    for key, *stored in db.execute_sql(*query.order_by(*_list_order(part)).sql()):
        rows[key].append(_convert(part, stored))
    return rows


def _convert(table: Table, stored: list[Any]) -> dict[str, Any]:
    pairs = zip(table.columns.items(), stored, strict=True)
    return {name: to_json(field, value) for (name, field), value in pairs}


def _list_conditions(model: Any, page: Page) -> list[Any]:
    """Return which rows of a table are the page's."""
    if model in (Person, Page):
        return [model.id == (page.id if model is Page else page.owner_id)]
    of_page = list_page_columns(model, page)
    conditions = [model._meta.fields[name] == value for name, value in of_page.items()]
    if model in SHARED and SHARED[model].name == "address":
        submitted = Submission.select(Submission.wallet_address).where(Submission.page == page)
        listed = Wallet.select(Wallet.address).where(Wallet.page == page)
        conditions.append(model.address.in_(listed) | model.address.in_(submitted))
    return [*conditions, _CONDITIONS.get(model, Value(True))]


def _list_order(table: Table) -> list[Any]:
    """Return the order in which every database gives the same file."""
    model = table.model
    if model in SHARED:
        return [in_byte_order(table.key)]
    if issubclass(model, BaseModel):
        return [model.created_at, in_byte_order(model.id)]
    return [in_byte_order(key) if _is_text(key) else key for key in model._meta.get_primary_keys()]


def _is_text(field: Field) -> bool:
    return isinstance(field.rel_field if isinstance(field, ForeignKeyField) else field, CharField)
