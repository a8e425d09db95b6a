"""Reads and writes all rows of a database, SQLite or Postgres."""

import sqlite3
import time
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import psycopg2
from peewee import PeeweeException, Table
from psycopg2.extensions import BOOLEAN, new_type, register_type
from psycopg2.extras import execute_values

from embed.db import folded
from embed.db.batches import reading_one_state, stream
from embed.db.connection import SqliteFile, make_database
from embed.db.failures import find_reason
from embed.db.schema_version import list_applied_migrations
from embed.errors import InvalidInput
from embed.settings import find_database_file

Schema = dict[str, tuple[str, ...]]  # the columns of each table, sorted
RowStream = Generator[tuple[Any, ...], None, None]

_MIGRATIONS = "schema_migration"
_WAIT_S = 5.0  # for connections that are being closed, and for locks

# Booleans as SQLite stores them.
_INTEGER = new_type(BOOLEAN.values, "INTEGER", lambda raw, _cursor: raw and int(raw == "t"))

_OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
"""


def open_rows(url: str) -> "Rows":
    """Return the rows of the database at `url`; connects at first use."""
    path = find_database_file(url)
    return PostgresRows(url) if path is None else SqliteRows(path)


def _quote(*names: str) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)


class _Rows:
    """A database's rows, read and written in one transaction at a time, on its own connection."""

    def __init__(self, database: Any, name: str) -> None:
        self._database, self._name = database, name

    @contextmanager
    def snapshot(self) -> Iterator[Self]:
        """Read the state at one instant, while others write."""
        with self._connected(), reading_one_state(self._database):
            yield self

    def list_migrations(self) -> list[str]:
        """Return the names of the applied migrations, in order."""
        with self._explain("read"):
            return list_applied_migrations(self._database)

    def has_rows(self, table: str) -> bool:
        return bool(self.fetch(f"SELECT 1 FROM {_quote(table)} LIMIT 1"))  # noqa: S608 -- names of ours

    def read(self, table: str, columns: Sequence[str]) -> RowStream:
        query = Table(table, columns).bind(self._database).select()
        with self._explain("read"):
            yield from stream(query, self._database)

    def change(self, statement: str) -> None:
        with self._explain("written"):
            self._database.execute_sql(statement)

    def fill_computed(self) -> None:
        """Fill the columns that were not copied."""
        with self._explain("written"):
            folded.fill(self._database)

    def fetch(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with self._explain("read"):
            rows: list[tuple[Any, ...]] = self._database.execute_sql(
                statement, parameters
            ).fetchall()
            return rows

    @contextmanager
    def _connected(self) -> Iterator[None]:
        with self._explain("used"), self._database.connection_context():
            yield

    @contextmanager
    def _explain(self, done: str) -> Iterator[None]:
        try:
            yield
        except InvalidInput:
            raise
        # ValueError: sqlite3 can't decode its own message if it quotes part of a damaged file that
        # isn't UTF-8; psycopg2 refuses NUL.
        except (PeeweeException, sqlite3.Error, psycopg2.Error, ValueError) as error:
            reason = find_reason(error)
            if getattr(reason, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise InvalidInput(
                    f"Another program has {self._name} open: stop the service, its worker and"
                    " everything else that uses it."
                ) from error
            if isinstance(reason, psycopg2.errors.LockNotAvailable):
                raise InvalidInput(
                    "Another program holds tables of the Postgres database, as a restore or an"
                    " upgrade does: repeat this when it has ended."
                ) from error
            raise InvalidInput(f"{self._name} cannot be {done}: {error}") from error


class SqliteRows(_Rows):
    def __init__(self, path: Path) -> None:
        address = f"file:{quote(str(path))}?mode=rw"  # without creating it
        super().__init__(SqliteFile(address, uri=True, timeout=_WAIT_S), str(path))
        self.path = path

    @contextmanager
    def alone(self, _tables: Collection[str] = ()) -> Iterator[Self]:
        """Write all or nothing, while nobody else has the file open.

        Raises InvalidInput if someone has it open, even if idle.
        """
        with self._connected():
            # In this mode, SQLite's lock keeps out all other connections until this one is closed.
            self.change("PRAGMA locking_mode = EXCLUSIVE")
            self.change("PRAGMA foreign_keys = 0")  # checked at the end
            with self._database.transaction("IMMEDIATE"):
                yield self
                for table, _, referred, _ in self.fetch("PRAGMA foreign_key_check"):
                    raise InvalidInput(f"A row of {table} refers to no row of {referred}.")

    def read_schema(self) -> Schema:
        """Return a file's schema, whatever its version."""
        with self._explain("read"):
            return {
                table: tuple(sorted(each.name for each in self._database.get_columns(table)))
                for table in self._database.get_tables()
                if table != _MIGRATIONS and not table.startswith("sqlite")
            }

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" for _ in columns)
        statement = f"INSERT INTO {_quote(table)} ({_quote(*columns)}) VALUES ({marks})"  # noqa: S608 -- names of ours
        with self._explain("written"):
            self._database.connection().executemany(statement, rows)

    def empty(self, tables: Iterable[str]) -> None:
        for table in tables:
            self.change(f"DELETE FROM {_quote(table)}")  # noqa: S608 -- names of ours

    def count_anew(self, tables: Iterable[str]) -> None:
        """Do nothing: SQLite plans its queries without counts."""

    @contextmanager
    def _connected(self) -> Iterator[None]:
        if not self.path.is_file():
            problem = "is not a file" if self.path.exists() else "does not exist"
            raise InvalidInput(f"{self.path} {problem}.")
        with super()._connected():
            yield


class PostgresRows(_Rows):
    def __init__(self, url: str) -> None:
        database = make_database(url)
        # A server that receives many rows may be busy for longer than during requests.
        database.connect_params.pop("tcp_user_timeout", None)
        super().__init__(database, "The Postgres database")

    @contextmanager
    def alone(self, tables: Collection[str] = ()) -> Iterator[Self]:
        """Write all or nothing, while nobody else is connected as this user.

        `tables` are locked, so anyone who connects later waits until the end. Raises InvalidInput
        if someone is connected, even if idle.
        """
        with self._connected():
            self._wait_until_alone()
            with self._database.transaction():
                if tables:
                    self.change(f"LOCK TABLE {_quote(*tables)} IN ACCESS EXCLUSIVE MODE")
                yield self

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        statement = f"INSERT INTO {_quote(table)} ({_quote(*columns)}) VALUES %s"  # noqa: S608 -- names of ours
        # Postgres reads a quoted number as a boolean where the column has that type.
        quoted = ([str(each) if isinstance(each, int) else each for each in row] for row in rows)
        with self._explain("written"), self._database.connection().cursor() as cursor:
            execute_values(cursor, statement, quoted)
        # The next number follows the highest one, as it does on SQLite by itself.
        for column in columns:
            counter = "SELECT pg_get_serial_sequence(quote_ident(%s), %s)"
            ((sequence,),) = self.fetch(counter, table, column)
            if sequence is None:
                continue
            highest = f"SELECT COALESCE(MAX({_quote(column)}), 0) FROM {_quote(table)}"  # noqa: S608 -- names of ours
            ((number,),) = self.fetch(highest)
            # Unlike setval(), this is rolled back with the transaction.
            self.change(f"ALTER SEQUENCE {sequence} RESTART WITH {number + 1}")

    def empty(self, tables: Iterable[str]) -> None:
        self.change(f"TRUNCATE {_quote(*tables)}")

    def count_anew(self, tables: Iterable[str]) -> None:
        """Let Postgres count these tables' rows; otherwise it plans the first queries badly.

        It does so by itself within minutes.
        """
        self.change(f"ANALYZE {_quote(*tables)}")

    @contextmanager
    def _connected(self) -> Iterator[None]:
        with super()._connected():
            register_type(_INTEGER, self._database.connection())
            yield

    def _wait_until_alone(self) -> None:
        deadline = time.monotonic() + _WAIT_S
        while count := self.fetch(_OTHERS)[0][0]:
            if time.monotonic() > deadline:
                raise InvalidInput(
                    "Other programs are connected to the Postgres database as this user, over"
                    f" {count} connections: stop the service, its worker, a pooler and"
                    " everything else that uses it."
                )
            time.sleep(0.1)


Rows = SqliteRows | PostgresRows
