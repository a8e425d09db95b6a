"""Writing and deleting many rows."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from peewee import chunked

from embed.db.connection import db

BATCH = 1000  # rows per statement

Row = TypeVar("Row")


def in_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows in lists that one statement can take."""
    batches: Iterator[list[Row]] = chunked(rows, BATCH)
    return batches


def count_rows_anew(*models: Any) -> None:
    """Let Postgres know at once how many rows its tables have, after many were written.

    It finds out by itself within minutes. Until then it may join tables as if they had few rows:
    reading the 50,000 wallets of a page took 94 seconds.
    """
    if db.for_update:  # SQLite needs none of this
        db.execute_sql(f"ANALYZE {', '.join(model._meta.table_name for model in models)}")


def delete_in_batches(key: Any, condition: Any) -> int:
    """Delete the rows of a table that meet a condition; return how many.

    Each batch is a transaction of its own, so that no lock is held for long. `key` is the field of
    the primary key. Others can write between two batches, so the condition is one that no row
    stops meeting unnoticed, such as an age.
    """
    model, deleted = key.model, 0
    while keys := list(model.select(key).where(condition).limit(BATCH).tuples()):
        of_batch = key.in_([each for (each,) in keys])
        deleted += model.delete().where(of_batch, condition).execute()
    return deleted
