"""A connection to Postgres past the service."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Self

import psycopg2
from psycopg2.extensions import cursor


class Cursor(cursor):
    def execute(self, query: str, values: Any = None) -> Self:
        """Run a statement; its rows can be fetched from what this returns."""
        super().execute(query, values)
        return self


@contextmanager
def open_cursor(
    url: str, *, autocommit: bool = False, options: str | None = None
) -> Iterator[Cursor]:
    """Yield a cursor; without `autocommit`, it is in a transaction that nobody commits."""
    with closing(psycopg2.connect(url, cursor_factory=Cursor, options=options)) as connection:
        connection.autocommit = autocommit
        yield connection.cursor()
