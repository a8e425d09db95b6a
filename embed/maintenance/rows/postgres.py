"""All rows of a Postgres database."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.adapt import Buffer, Loader

from embed.errors import InvalidInput
from embed.maintenance.rows.schemas import LIST_MIGRATIONS, RowStream, join_names, quote_name

_WAIT_S = 5.0  # for a connection that is just being closed, and for locks
_CONNECT_TIMEOUT_S = 5
_BATCH = 2000  # rows of one answer of the server

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


class _IntegerLoader(Loader):
    """Reads booleans as SQLite keeps them."""

    def load(self, data: Buffer) -> int:
        return int(bytes(data) == b"t")


class PostgresRows:
    """Rows inside one transaction at a time, on a connection of its own."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.Connection | None = None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read as of one instant, while others write."""
        with self._connect() as connection:
            tables = [name for (name,) in self._fetch(_READABLE)]
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            with connection.transaction():
                # The instant is that of the first statement after this one. A table that a restore
                # or an upgrade replaced after that instant would look empty
                # (https://www.postgresql.org/docs/current/mvcc-caveats.html).
                self._lock(tables, "ACCESS SHARE")
                yield

    @contextmanager
    def alone(self, tables: Iterable[str] = ()) -> Iterator[None]:
        """Write while nobody else is connected as this user, and keep all of it or nothing.

        `tables` are locked: who connects meanwhile waits until the end. Raises InvalidInput if
        somebody is connected, even if they are idle.
        """
        with self._connect() as connection:
            self._wait_until_alone()
            with connection.transaction():
                self._lock(tables, "ACCESS EXCLUSIVE")
                yield

    def _lock(self, tables: Iterable[str], mode: str) -> None:
        if not tables:
            return
        self.change(f"SET LOCAL lock_timeout = '{_WAIT_S * 1000:.0f}ms'")
        try:
            self._open.execute(f"LOCK TABLE {join_names(tables)} IN {mode} MODE".encode())
        except psycopg.errors.LockNotAvailable:
            raise InvalidInput(
                "Another program holds tables of the Postgres database, as a restore or an upgrade"
                " does: repeat this when it has ended."
            ) from None

    def list_migrations(self) -> list[str]:
        """Return the names of those that were applied, in order."""
        if self._fetch("SELECT to_regclass('schema_migration')")[0][0] is None:
            return []
        return [name for (name,) in self._fetch(LIST_MIGRATIONS)]

    def has_rows(self, table: str) -> bool:
        return bool(self._fetch(f"SELECT 1 FROM {quote_name(table)} LIMIT 1"))  # noqa: S608 -- names of ours

    def read(self, table: str, columns: Sequence[str]) -> RowStream:
        statement = f"SELECT {join_names(columns)} FROM {quote_name(table)}"  # noqa: S608 -- names of ours
        # A cursor with a name stays in the server, which sends one batch at a time.
        with self._explain("read"), self._open.cursor(name="rows") as cursor:
            cursor.itersize = _BATCH
            yield from cursor.execute(statement.encode())

    def write(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        statement = f"COPY {quote_name(table)} ({join_names(columns)}) FROM STDIN"
        with (
            self._explain("written"),
            self._open.cursor() as cursor,
            cursor.copy(statement.encode()) as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def empty(self, tables: Iterable[str]) -> None:
        self.change(f"TRUNCATE {join_names(tables)}")

    def change(self, statement: str) -> None:
        with self._explain("written"):
            self._open.execute(statement.encode())

    def advance_counters(self, tables: Iterable[str]) -> None:
        """Let the next numbers follow the highest of each table."""
        for table in tables:
            for column, sequence in self._fetch(_COUNTERS, [table]):
                ((highest,),) = self._fetch(
                    f"SELECT COALESCE(MAX({quote_name(column)}), 0) FROM {quote_name(table)}"  # noqa: S608 -- names of ours
                )
                # Unlike setval(), this is undone if the transaction is.
                self.change(f"ALTER SEQUENCE {sequence} RESTART WITH {highest + 1}")

    @property
    def _open(self) -> psycopg.Connection:
        assert self._connection is not None, "outside of a transaction"  # noqa: S101 -- a mistake in our code
        return self._connection

    @contextmanager
    def _connect(self) -> Iterator[psycopg.Connection]:
        limits: dict[str, Any] = {"connect_timeout": _CONNECT_TIMEOUT_S}
        if "connect_timeout" in self._url:
            limits = {}
        with self._explain("opened"):
            connection = psycopg.connect(self._url, autocommit=True, **limits)
        connection.adapters.register_loader("bool", _IntegerLoader)
        self._connection = connection
        try:
            with self._explain("written"):  # the end of a transaction may fail, too
                yield connection
        finally:
            connection.close()
            self._connection = None

    def _wait_until_alone(self) -> None:
        deadline = time.monotonic() + _WAIT_S
        while count := self._fetch(_OTHERS)[0][0]:
            if time.monotonic() > deadline:
                raise InvalidInput(
                    "Other programs are connected to the Postgres database as this user, over"
                    f" {count} connections: stop the service, its worker and whatever else uses it."
                )
            time.sleep(0.1)

    def _fetch(self, statement: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._explain("read"):
            return self._open.execute(statement.encode(), parameters or None).fetchall()

    @contextmanager
    def _explain(self, done: str) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise InvalidInput(f"The Postgres database cannot be {done}: {error}") from error
