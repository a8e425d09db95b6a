"""A database with rows in every table: extreme values, NULL wherever it may be, and any Unicode."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CharField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

from embed.db import connection, folded
from embed.db.connection import db
from embed.db.fields import AmountField, InstantField, LinesField, LookField
from embed.db.models import MODELS
from embed.domain.look import DEFAULT_LOOK, Look

Stored = dict[str, list[tuple[Any, ...]]]

ROWS = 3  # of each table
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TEXTS = (
    "",
    "\\N \\. \t\r\n\x01\x7f ' \" % ; -- {} NULL",
    "e\u0301\u00e9 \u202e\u200b \U0001f984\U0010ffff \u1e9e\u0130 0042",
)
AMOUNTS = (Decimal(0), Decimal("18446744073709551615"), Decimal("0.000000000000000000000000001"))
INSTANTS = (
    EPOCH,
    datetime(9999, 12, 31, 23, 59, 59, 999000, UTC),
    datetime(2026, 1, 2, tzinfo=UTC),
)
LINES = ((), ("https://a.example",), ("https://a.example", "null"))
LOOKS = (Look(accent="0b7a4b"), DEFAULT_LOOK, Look(theme="dark", hide=("changes",)))
BLOBS = (bytes(64), bytes(range(64)), b"\xff" * 64)

# What constraints leave no choice of, by table and column.
CHOSEN: dict[str, dict[str, tuple[Any, Any, Any]]] = {
    "page": {"holding_watch": ("leave", "flag", "hide")},
    "member": {"role": ("viewer", "reviewer", "editor")},
    "invitation": {"role": ("viewer", "editor", "owner")},
    "api_key": {"tier": ("public", "secret", "public"), "purpose": ("sites", "preview", "link")},
    "submission": {
        "status": ("soft_rejected", "rejected", "rejected"),
        "reject_reason": ("queue_full", "manual", "manual"),
        "reason_code": (None, "low_balance", None),
        "reason_text": (None, None, TEXTS[2]),
        "decided_at": (EPOCH, EPOCH, EPOCH),
    },
    "block": {
        "person": (None, "1" + TEXTS[1][:19], None),
        "kind": ("wallet", "name", "network"),
    },
    "proof": {"form": ("raw", "v1-early", "legacy-v0")},
    "receiver": {
        "kind": ("webhook", "channel", "webhook"),
        "secret": ("whsec_\u00e9", None, "whsec_2"),
    },
    "delivery": {"state": ("waiting", "delivered", "given_up")},
    "lease": {"kind": ("gunicorn", "worker", "gunicorn")},
}


@contextmanager
def using(url: str) -> Iterator[None]:
    """Let the models read and write this database, and leave no connection behind."""
    connection.open_database(url)
    try:
        yield
    finally:
        connection.db.close()


def fill(url: str) -> None:
    """Add ROWS rows to every table of an empty database of this version."""
    with using(url), db.atomic():
        for model in MODELS:
            for number in range(ROWS):
                row = {
                    name: choose_value(model, field, number)
                    for name, field in model._meta.fields.items()
                    if not isinstance(field, AutoField)
                }
                model.insert(row).execute()
        folded.fill(db.obj)


def choose_value(model: type[Model], field: Any, number: int) -> Any:
    chosen = CHOSEN.get(model._meta.table_name, {})
    if field.name in chosen:
        return chosen[field.name][number]
    if field.null and number == 1:
        return None
    if isinstance(field, ForeignKeyField):
        return choose_reference(field, number)
    match field:
        case InstantField():
            return INSTANTS[number]
        case AmountField():
            return AMOUNTS[number]
        case LinesField():
            return LINES[number]
        case LookField():
            return LOOKS[number]
        case BooleanField():
            return number == 1
        case BlobField():
            return BLOBS[number]
        case CharField() | TextField():
            length = getattr(field, "max_length", None)
            text = f"{number}{TEXTS[number]}"
            return text if length is None else text.ljust(length, "\u00df")[:length]
        case BigIntegerField():
            return (0, 2**63 - 1, 2**53 + 1)[number]
        case IntegerField():
            return (0, 2**31 - 1, 1)[number]
    raise AssertionError(field)


def choose_reference(field: ForeignKeyField, number: int) -> Any:
    target = field.rel_model
    key = target._meta.primary_key
    return number + 1 if isinstance(key, AutoField) else choose_value(target, key, number)


def read_stored(url: str) -> Stored:
    """Return all rows of all tables as the database keeps them, by table."""
    with using(url):
        return {model._meta.table_name: read_table(model) for model in MODELS}


def read_table(model: type[Model]) -> list[tuple[Any, ...]]:
    columns = ", ".join(f'"{field.column_name}"' for field in model._meta.sorted_fields)
    rows = db.execute_sql(f'SELECT {columns} FROM "{model._meta.table_name}"').fetchall()  # noqa: S608 -- names of ours
    return sorted((tuple(map(simplify, row)) for row in rows), key=repr)


def simplify(value: Any) -> Any:
    """Return Postgres' booleans as SQLite has them."""
    return int(value) if isinstance(value, bool) else value
