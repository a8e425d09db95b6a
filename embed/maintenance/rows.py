"""All rows of a database, of either kind."""

import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import psycopg
from psycopg.adapt import Buffer, Loader

from embed.errors import InvalidInput
from embed.settings import find_database_file

Schema = dict[str, tuple[str, ...]]  # the columns of each table, sorted
RowStream = Generator[tuple[Any, ...], None, None]

_WAIT_S = 5.0  # for a connection that is just being closed, and for locks
_LIMITS = {"connect_timeout": 5}  # seconds
_BATCH = 2000  # rows of one answer of a Postgres server

_OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
"""
_READABLE = """
    SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    AND has_table_privilege(oid, 'SELECT')
"""
_COUNTERS = """
    SELECT column_name, pg_get_serial_sequence(quote_ident(table_name), column_name)
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = %s
    AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL
"""


def open_rows(url: str) -> "Rows":
    """Return the rows of the database at `url`, which is connected to at first use."""
    path = find_database_file(url)
    return PostgresRows(url) if path is None else SqliteRows(path)


def _quote(*names: str) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)


class _Rows:
    """Rows inside one transaction at a time, on a connection of its own."""

    _name: str
    _error: type[Exception]
    _has_migrations: str  # a query for a row
    _connection: Any

    def list_migrations(self) -> list[str]:
        """Return the names of those that were applied, in order."""
        if not self.fetch(self._has_migrations):
            return []
        return [name for (name,) in self.fetch("SELECT name FROM schema_migration ORDER BY name")]

    def has_rows(self, table: str) -> bool:
        return bool(self.fetch(f"SELECT 1 FROM {_quote(table)} LIMIT 1"))  # noqa: S608 -- names of ours

    def read(self, table: str, columns: Sequence[str]) -> RowStream:
        with self._explain("read"):
            yield from self._stream(f"SELECT {_quote(*columns)} FROM {_quote(table)}")  # noqa: S608 -- names of ours

    def change(self, statement: str) -> None:
        with self._explain("written"):
            self._connection.execute(statement)

    def fetch(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with self._explain("read"):
            rows: list[tuple[Any, ...]] = self._connection.execute(statement, parameters).fetchall()
            return rows

    def _stream(self, statement: str) -> Iterator[tuple[Any, ...]]:
        yield from self._connection.execute(statement)

    @contextmanager
    def _using(self, connection: Any) -> Iterator[None]:
        self._connection = connection
        with closing(connection), self._explain("written"):  # the end of a transaction may fail
            yield

    @contextmanager
    def _explain(self, done: str) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise InvalidInput(
                    f"Another program has {self._name} open: stop the service, its worker and"
                    " whatever else uses it."
                ) from error
            raise InvalidInput(f"{self._name} cannot be {done}: {error}") from error


class SqliteRows(_Rows):
    _error = sqlite3.Error
    _has_migrations = "SELECT 1 FROM sqlite_master WHERE name = 'schema_migration'"

    def __init__(self, path: Path) -> None:
        self.path, self._name = path, str(path)

    @contextmanager
    def snapshot(self) -> Iterator[Self]:
        """Read as of one instant, while others write."""
        with self._connect(), self._connection:
            self.change("PRAGMA query_only = 1")
            self.change("BEGIN")
            yield self

    @contextmanager
    def alone(self, _tables: Iterable[str] = ()) -> Iterator[Self]:
        """Write while nobody else has the file open, and keep all of it or nothing.

        Raises InvalidInput if somebody has, even if they are idle.
        """
        with self._connect(), self._connection:
            # In this mode, SQLite's lock excludes every other connection until this one is closed.
            self.change("PRAGMA locking_mode = EXCLUSIVE")
            self.change("PRAGMA foreign_keys = 0")  # they are checked at the end
            self.change("BEGIN IMMEDIATE")
            yield self
            for table, _, referred, _ in self.fetch("PRAGMA foreign_key_check"):
                raise InvalidInput(f"A row of {table} refers to no row of {referred}.")

    def read_schema(self) -> Schema:
        """Return the schema of a file of any version."""
        tables = self.fetch(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            " AND name <> 'schema_migration' ORDER BY name"
        )
        return {
            table: tuple(
                sorted(row[1] for row in self.fetch(f"PRAGMA table_info({_quote(table)})"))
            )
            for (table,) in tables
        }

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" for _ in columns)
        statement = f"INSERT INTO {_quote(table)} ({_quote(*columns)}) VALUES ({marks})"  # noqa: S608 -- names of ours
        with self._explain("written"):
            self._connection.executemany(statement, rows)

    def empty(self, tables: Iterable[str]) -> None:
        for table in tables:
            self.change(f"DELETE FROM {_quote(table)}")  # noqa: S608 -- names of ours

    @contextmanager
    def _connect(self) -> Iterator[None]:
        if not self.path.is_file():
            problem = "is not a file" if self.path.exists() else "does not exist"
            raise InvalidInput(f"{self.path} {problem}.")
        address = f"file:{quote(str(self.path))}?mode=rw"  # without creating it
        with self._explain("opened"):
            # Transactions begin and end here only.
            connection = sqlite3.connect(address, _WAIT_S, uri=True, isolation_level=None)
        with self._using(connection):
            yield


class PostgresRows(_Rows):
    _name = "The Postgres database"
    _error = psycopg.Error
    _has_migrations = "SELECT 1 WHERE to_regclass('schema_migration') IS NOT NULL"

    def __init__(self, url: str) -> None:
        self._url = url

    @contextmanager
    def snapshot(self) -> Iterator[Self]:
        """Read as of one instant, while others write."""
        with self._connect():
            tables = [name for (name,) in self.fetch(_READABLE)]
            self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            self._connection.read_only = True
            with self._connection.transaction():
                # The instant is that of the first statement after this one. A table that a restore
                # or an upgrade replaced after that instant would look empty
                # (https://www.postgresql.org/docs/current/mvcc-caveats.html).
                self._lock(tables, "ACCESS SHARE")
                yield self

    @contextmanager
    def alone(self, tables: Iterable[str]) -> Iterator[Self]:
        """Write while nobody else is connected as this user, and keep all of it or nothing.

        `tables` are locked: who connects meanwhile waits until the end. Raises InvalidInput if
        somebody is connected, even if they are idle.
        """
        with self._connect():
            self._wait_until_alone()
            with self._connection.transaction():
                self._lock(tables, "ACCESS EXCLUSIVE")
                yield self

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        statement = f"COPY {_quote(table)} ({_quote(*columns)}) FROM STDIN"
        with (
            self._explain("written"),
            self._connection.cursor() as cursor,
            cursor.copy(statement) as copy,
        ):
            for row in rows:
                copy.write_row(row)
        # The next numbers follow the highest, as SQLite's do by themselves.
        for column, sequence in self.fetch(_COUNTERS, table):
            highest = f"SELECT COALESCE(MAX({_quote(column)}), 0) FROM {_quote(table)}"  # noqa: S608 -- names of ours
            ((number,),) = self.fetch(highest)
            # Unlike setval(), this is undone if the transaction is.
            self.change(f"ALTER SEQUENCE {sequence} RESTART WITH {number + 1}")

    def empty(self, tables: Iterable[str]) -> None:
        self.change(f"TRUNCATE {_quote(*tables)}")

    def _stream(self, statement: str) -> Iterator[tuple[Any, ...]]:
        # A cursor with a name stays in the server, which sends one batch at a time.
        with self._connection.cursor(name="rows") as cursor:
            cursor.itersize = _BATCH
            yield from cursor.execute(statement)

    @contextmanager
    def _connect(self) -> Iterator[None]:
        limits: dict[str, Any] = {} if "connect_timeout" in self._url else _LIMITS
        with self._explain("opened"):
            connection = psycopg.connect(self._url, autocommit=True, **limits)
        connection.adapters.register_loader("bool", _IntegerLoader)
        with self._using(connection):
            yield

    def _lock(self, tables: Iterable[str], mode: str) -> None:
        if not tables:  # of a database that is new
            return
        self.change(f"SET LOCAL lock_timeout = '{_WAIT_S * 1000:.0f}ms'")
        try:
            self._connection.execute(f"LOCK TABLE {_quote(*tables)} IN {mode} MODE")
        except psycopg.errors.LockNotAvailable:
            raise InvalidInput(
                "Another program holds tables of the Postgres database, as a restore or an upgrade"
                " does: repeat this when it has ended."
            ) from None

    def _wait_until_alone(self) -> None:
        deadline = time.monotonic() + _WAIT_S
        while count := self.fetch(_OTHERS)[0][0]:
            if time.monotonic() > deadline:
                raise InvalidInput(
                    "Other programs are connected to the Postgres database as this user, over"
                    f" {count} connections: stop the service, its worker and whatever else uses it."
                )
            time.sleep(0.1)


class _IntegerLoader(Loader):
    """Reads booleans as SQLite keeps them."""

    def load(self, data: Buffer) -> int:
        return int(bytes(data) == b"t")


Rows = SqliteRows | PostgresRows
