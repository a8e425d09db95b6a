"""All rows of a SQLite database."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from embed.errors import InvalidInput
from embed.maintenance.rows.schemas import (
    LIST_MIGRATIONS,
    RowStream,
    Schema,
    join_names,
    quote_name,
)

_WAIT_S = 5.0  # for a connection that is just being closed


class SqliteRows:
    """Rows inside one transaction at a time, on a connection of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read as of one instant, while others write."""
        with self._connect():
            self._execute("PRAGMA query_only = 1")
            with self._transaction("BEGIN"):
                yield

    @contextmanager
    def alone(self, _tables: Iterable[str] = ()) -> Iterator[None]:
        """Write while nobody else has the file open, and keep all of it or nothing.

        Raises InvalidInput if somebody has, even if they are idle.
        """
        with self._connect():
            # In this mode, SQLite's lock excludes every other connection until this one is closed.
            self._execute("PRAGMA locking_mode = EXCLUSIVE")
            self._execute("PRAGMA foreign_keys = 0")  # they are checked at the end
            with self._transaction("BEGIN IMMEDIATE"):
                yield
                self._check_references()

    def list_migrations(self) -> list[str]:
        """Return the names of those that were applied, in order."""
        if not self._execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migration'"):
            return []
        return [name for (name,) in self._execute(LIST_MIGRATIONS)]

    def read_schema(self) -> Schema:
        """Return the schema of a file of any version."""
        tables = self._execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            " AND name <> 'schema_migration' ORDER BY name"
        )
        return {
            table: tuple(
                sorted(row[1] for row in self._execute(f"PRAGMA table_info({quote_name(table)})"))
            )
            for (table,) in tables
        }

    def has_rows(self, table: str) -> bool:
        return bool(self._execute(f"SELECT 1 FROM {quote_name(table)} LIMIT 1"))  # noqa: S608 -- names of ours

    def read(self, table: str, columns: Sequence[str]) -> RowStream:
        with self._explain("read"):
            yield from self._open.execute(
                f"SELECT {join_names(columns)} FROM {quote_name(table)}"  # noqa: S608 -- names of ours
            )

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" for _ in columns)
        with self._explain("written"):
            self._open.executemany(
                f"INSERT INTO {quote_name(table)} ({join_names(columns)}) VALUES ({marks})",  # noqa: S608 -- names of ours
                rows,
            )

    def empty(self, tables: Iterable[str]) -> None:
        for table in tables:
            self.change(f"DELETE FROM {quote_name(table)}")  # noqa: S608 -- names of ours

    def change(self, statement: str) -> None:
        with self._explain("written"):
            self._open.execute(statement)

    def advance_counters(self, tables: Iterable[str]) -> None:
        """Do nothing: SQLite counts on from the highest number of a table."""

    def check_pages(self) -> None:
        """Raises InvalidInput if the file is damaged."""
        ((verdict,),) = self._execute("PRAGMA integrity_check(1)")
        if verdict != "ok":
            raise InvalidInput(f"{self.path} is damaged: {verdict}")

    def read_pragma(self, name: str) -> Any:
        ((value,),) = self._execute(f"PRAGMA {name}")
        return value

    @property
    def _open(self) -> sqlite3.Connection:
        assert self._connection is not None, "outside of a transaction"  # noqa: S101 -- a mistake in our code
        return self._connection

    @contextmanager
    def _connect(self) -> Iterator[None]:
        if not self.path.is_file():
            problem = "is not a file" if self.path.exists() else "does not exist"
            raise InvalidInput(f"{self.path} {problem}.")
        with self._explain("opened"):
            connection = sqlite3.connect(
                f"file:{quote(str(self.path))}?mode=rw",  # without creating it
                uri=True,
                isolation_level=None,  # transactions begin and end here only
                timeout=_WAIT_S,
            )
        with closing(connection):
            self._connection = connection
            try:
                yield
            finally:
                self._connection = None

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._execute(begin)
        try:
            yield
            with self._explain("written"):
                self._open.execute("COMMIT")
        finally:
            if self._open.in_transaction:
                self._open.execute("ROLLBACK")

    def _execute(self, statement: str) -> list[Any]:
        with self._explain("read"):
            return self._open.execute(statement).fetchall()

    def _check_references(self) -> None:
        broken = self._execute("PRAGMA foreign_key_check")
        if broken:
            raise InvalidInput(f"A row of {broken[0][0]} refers to no row of {broken[0][2]}.")

    @contextmanager
    def _explain(self, done: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise InvalidInput(
                    f"Another program has {self.path} open: stop the service, its worker and"
                    " whatever else uses it."
                ) from error
            raise InvalidInput(f"{self.path} cannot be {done}: {error}") from error
