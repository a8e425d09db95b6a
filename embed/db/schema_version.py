"""Finds and applies a database's missing migrations."""

# mypy: allow-untyped-calls
# Several of peewee's methods have no types.

import logging
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from peewee import (
    IntegrityError,
    PeeweeException,
    ProgrammingError,
    SqliteDatabase,
)
from playhouse.migrations import Migration, Runner
from psycopg2 import errors

from embed.db.connection import create_if_missing, db
from embed.db.failures import explain, find_reason
from embed.db.models import MODELS
from embed.settings import SettingsError

MIGRATIONS_DIR = Path(__file__).parent / "migrations"
# A database of version 0.7.0 has these records; the first migration replaces both.
MIGRATIONS_OF_0_7_0 = ["0001_initial", "0002_from_0_6_0"]

# An arbitrary number that no other program's advisory locks use.
_UPGRADE_LOCK = 7_013_508_215
_LOCK_RETRY_S = 0.2  # a wait inside psycopg2 can't be interrupted with Ctrl-C
_TABLES_WAIT = "3s"  # for locks on Postgres tables; it checks for deadlocks after a second
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 5.0  # as long as a 503 asks callers to wait

_log = logging.getLogger(__name__)


class OtherVersion(ProgrammingError):
    """This version can neither use nor upgrade the database."""


def check_version(applied: Sequence[str] | None = None) -> None:
    """Refuse a database that this version can neither use nor upgrade.

    `applied` lists its migrations; default: the models' database's. Raises OtherVersion.
    """
    migrations = list_applied_migrations() if applied is None else list(applied)
    if migrations == MIGRATIONS_OF_0_7_0:
        return
    if MIGRATIONS_OF_0_7_0[0] in migrations:
        raise OtherVersion(
            "The database is older than version 0.7.0. First upgrade it with commit b06d70c8, as"
            " described in docs/operating.md under Upgrading."
        )
    unknown = sorted({*migrations} - {*list_migrations()})
    if unknown:
        raise OtherVersion(
            f"The database was upgraded by a newer version of this service ({', '.join(unknown)})."
            " Run that version, or go back as described in docs/operating.md under Upgrading."
        )


def upgrade(database: Any = None) -> list[str]:
    """Apply all missing migrations in one transaction and return their names.

    `database` defaults to the models' own. If several servers start at once, one upgrades and the
    others wait for it. Raises OtherVersion.
    """
    database = database or db.obj
    create_if_missing(database)
    with _changing_schema(database):
        applied = list_applied_migrations(database)
        check_version(applied)
        missing = list_missing_migrations(database)
        if not missing:
            return []
        _lock_tables(database)
        runner = _make_runner(database)
        if applied == MIGRATIONS_OF_0_7_0:
            runner.fake(missing[0])
            runner.History.delete().where(runner.History.name.in_(applied)).execute()
        if applied:
            runner.up()
        else:
            runner.up(missing[0])
            runner.fake()
        _check_references(database)
        return missing


def create_if_empty() -> None:
    """Make SQLite's file and its tables if they're missing; an older database stays as it is."""
    if isinstance(db.obj, SqliteDatabase):
        create_if_missing(db.obj)
        if not list_applied_migrations():
            upgrade()


def upgrade_until_done(wait: Callable[[float], object] = time.sleep) -> None:
    """Retry with growing pauses until the database is at this version; log every failure.

    `wait` pauses for the given seconds; if it returns something true, stop retrying.
    Raises OtherVersion.
    """
    wait_s = _FIRST_WAIT_S
    while not _is_upgraded() and not wait(wait_s):
        wait_s = min(2 * wait_s, _LONGEST_WAIT_S)


def _is_upgraded() -> bool:
    try:
        create_if_missing(db.obj)
        check_version()
        if list_missing_migrations():
            for name in upgrade():
                _log.info("Database upgraded: %s", name)
    except OtherVersion:
        raise
    except (PeeweeException, SettingsError) as error:
        _log.warning("The database could not be upgraded yet: %s", explain(error))
        return False
    finally:
        db.close()
    return True


def is_schema_missing(error: Exception) -> bool:
    """Return whether the database reported a missing table or column.

    Only the error is examined, since the upgrade may be finished by the time we ask the
    database again.
    """
    reason = find_reason(error)
    if isinstance(reason, sqlite3.Error):  # its code is that of any wrong statement
        return re.match("no such (table|column)|table .* has no column", str(reason)) is not None
    return isinstance(reason, (errors.UndefinedTable, errors.UndefinedColumn))


@contextmanager
def _changing_schema(database: Any) -> Iterator[None]:
    """Run a transaction while nobody else can change the schema.

    On SQLite, foreign keys are off: dropping a table would delete the rows that refer to it. SQLite
    ignores the setting inside a transaction (https://sqlite.org/lang_altertable.html, "Making Other
    Kinds Of Table Schema Changes").
    """
    if not isinstance(database, SqliteDatabase):
        with database.atomic():
            database.execute_sql("SET LOCAL lock_timeout = 0")
            lock = f"SELECT pg_try_advisory_xact_lock({_UPGRADE_LOCK})"
            while database.execute_sql(lock).fetchone() == (False,):
                time.sleep(_LOCK_RETRY_S)
            yield
        return
    database.execute_sql("PRAGMA foreign_keys = 0")
    try:
        if database.execute_sql("PRAGMA foreign_keys").fetchone()[0]:
            raise ProgrammingError("An upgrade cannot begin inside a transaction.")
        with database.atomic():
            yield
    finally:
        database.execute_sql("PRAGMA foreign_keys = 1")


def _lock_tables(database: Any) -> None:
    """Lock all Postgres tables before any is changed, since old servers may still be running.

    Migrations lock one table after another, and would deadlock with current requests. Raises
    OperationalError if someone holds a table for longer, such as pg_dump.
    """
    present = set(database.get_tables())
    names = [model._meta.table_name for model in MODELS]
    tables = ", ".join(f'"{name}"' for name in names if name in present)
    if isinstance(database, SqliteDatabase) or not tables:
        return
    database.execute_sql(f"SET LOCAL lock_timeout = '{_TABLES_WAIT}'")
    database.execute_sql(f"LOCK TABLE {tables}")
    database.execute_sql("SET LOCAL lock_timeout = 0")


def _check_references(database: Any) -> None:
    """Raises IntegrityError if a foreign key refers to no row; Postgres checks this itself."""
    if isinstance(database, SqliteDatabase):
        broken = database.execute_sql("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            raise IntegrityError(f"A row of {broken[0]} refers to no row of {broken[2]}.")


def list_missing_migrations(database: Any = None) -> list[str]:
    applied = list_applied_migrations(database)
    return [name for name in list_migrations() if name not in applied]


def list_applied_migrations(database: Any = None) -> list[str]:
    """Return the names of the migrations that the database has, in order."""
    return sorted(_make_runner(database or db.obj).applied())


def find_applied_at(migration: str) -> datetime:
    """Return when the models' database got this migration."""
    applied_at: datetime = _make_runner(db.obj).applied()[migration]
    return applied_at.astimezone(UTC)  # stored in local time


def list_migrations() -> list[str]:
    """Return the names of all of this version's migrations, in order."""
    return [migration.name for migration in Migration.load_directory(str(MIGRATIONS_DIR))]


def _make_runner(database: Any) -> Runner:
    return Runner(database, str(MIGRATIONS_DIR))
