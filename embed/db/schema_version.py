"""Which migrations a database has, and applying or undoing them."""

# mypy: allow-untyped-calls
# Several of peewee's methods have no types.

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from peewee import (
    IntegrityError,
    OperationalError,
    PeeweeException,
    ProgrammingError,
    SqliteDatabase,
)
from playhouse.migrations import Migration, Runner
from psycopg import errors

from embed.db.connection import create_if_missing, db
from embed.db.models import MODELS
from embed.errors import InvalidInput
from embed.settings import SettingsError

MIGRATIONS_DIR = Path(__file__).parent / "migrations"

# An arbitrary number that no other program's advisory locks use.
_UPGRADE_LOCK = 7_013_508_215
# For the tables of Postgres. Deadlocks are over before, as Postgres looks for them after a second.
_TABLES_WAIT_S = 3
_TABLES_PAUSE_S = 1.0
_TABLES_TRIES = 5
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 5.0  # as long as a 503 asks callers to wait

_log = logging.getLogger(__name__)


class NewerDatabase(ProgrammingError):
    """The database was upgraded by a newer version, which this one does not know."""

    def __init__(self, unknown: Sequence[str]) -> None:
        super().__init__(
            f"The database was upgraded by a newer version of this service ({', '.join(unknown)})."
            " Run that version, or go back as docs/operating.md says under Upgrades."
        )


def upgrade(database: Any = None, *, last: str | None = None) -> list[str]:
    """Apply all missing migrations in one transaction, and return their names.

    Another `database` than the models' may be given, and the `last` migration to apply. Several
    servers may start at once: one upgrades, the others wait for it. Raises NewerDatabase.
    """
    database = database or db.obj
    create_if_missing(database)
    with _changing_schema(database):
        check_not_newer(database)
        if list_missing_migrations(database):
            _lock_tables(database)
        applied: list[str] = _make_runner(database).up(last)
        if applied:
            _check_references(database)
        return applied


def upgrade_until_done(wait: Callable[[float], object] = time.sleep) -> None:
    """Retry, with growing pauses, until the database is at this version; log every failure.

    Ends as well when `wait`, which pauses for so many seconds, returns something true.
    Raises NewerDatabase.
    """
    wait_s = _FIRST_WAIT_S
    while not _is_upgraded() and not wait(wait_s):
        wait_s = min(2 * wait_s, _LONGEST_WAIT_S)


def _is_upgraded() -> bool:
    try:
        create_if_missing(db.obj)
        check_not_newer()
        if list_missing_migrations():
            for name in upgrade():
                _log.info("Database upgraded: %s", name)
    except NewerDatabase:
        raise
    except (PeeweeException, SettingsError) as error:
        _log.warning("The database could not be upgraded yet: %s", error)
        return False
    finally:
        db.close()
    return True


def is_schema_missing(error: ProgrammingError) -> bool:
    """Tell whether Postgres reported a missing table or column.

    This looks at the error only, since the upgrade may be done when we ask the database
    again. SQLite raises an OperationalError, as for all its failures.
    """
    reason = getattr(error, "orig", None)
    return isinstance(reason, (errors.UndefinedTable, errors.UndefinedColumn))


def find_revertible() -> tuple[str, str]:
    """Return the name of the newest migration, and what reverting it loses.

    Raises NewerDatabase, InvalidInput if it cannot be reverted.
    """
    check_not_newer()
    applied = [migration for migration in _make_runner(db.obj).status() if migration.applied]
    if not applied:
        raise InvalidInput("The database has no tables of this service.")
    module = applied[-1].load()
    if not hasattr(module, "down"):
        raise InvalidInput(f"{applied[-1].name} cannot be undone: restore the backup from before.")
    return applied[-1].name, module.LOST


def downgrade(name: str) -> None:
    """Undo a migration, which is the newest one, in one transaction."""
    with _changing_schema(db.obj):
        _lock_tables(db.obj)
        _make_runner(db.obj).down(name)
        _check_references(db.obj)


@contextmanager
def _changing_schema(database: Any) -> Iterator[None]:
    """Run a transaction in which nobody else changes the schema.

    In SQLite, foreign keys are off: dropping a table would delete the rows that refer to it. SQLite
    ignores the setting inside a transaction (https://sqlite.org/lang_altertable.html, "Making Other
    Kinds Of Table Schema Changes").
    """
    if not isinstance(database, SqliteDatabase):
        with database.atomic():
            database.execute_sql("SET LOCAL lock_timeout = 0")
            database.execute_sql("SELECT pg_advisory_xact_lock(%s)", (_UPGRADE_LOCK,))
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
    """Take all tables of Postgres from servers that still run, before any of them is changed.

    Migrations take one after the other, and deadlock with what is under way: then Postgres may
    choose the upgrade to fail, as often as it is tried. Here that costs a try. Who holds a table
    for longer, such as pg_dump, gets the others as well between two tries. Raises OperationalError.
    """
    present = set(database.get_tables())
    names = [model._meta.table_name for model in MODELS]
    tables = ", ".join(f'"{name}"' for name in names if name in present)
    if isinstance(database, SqliteDatabase) or not tables:
        return
    for number in range(1, _TABLES_TRIES + 1):
        try:
            with database.atomic():
                database.execute_sql(f"SET LOCAL lock_timeout = '{_TABLES_WAIT_S}s'")
                database.execute_sql(f"LOCK TABLE {tables}")
            break
        except OperationalError:
            if number == _TABLES_TRIES:
                raise
            time.sleep(_TABLES_PAUSE_S)  # those who wait for the tables get them meanwhile
    database.execute_sql("SET LOCAL lock_timeout = 0")


def check_not_newer(database: Any = None) -> None:
    """Raises NewerDatabase."""
    unknown = list_unknown_migrations(database)
    if unknown:
        raise NewerDatabase(unknown)


def _check_references(database: Any) -> None:
    """Raises IntegrityError if a foreign key refers to no row; Postgres checks this itself."""
    if isinstance(database, SqliteDatabase):
        broken = database.execute_sql("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            raise IntegrityError(f"A row of {broken[0]} refers to no row of {broken[2]}.")


def list_missing_migrations(database: Any = None) -> list[str]:
    status = _make_runner(database or db.obj).status()
    return [migration.name for migration in status if not migration.applied]


def list_unknown_migrations(database: Any = None) -> list[str]:
    """Return the names of those that a newer version has applied."""
    status = _make_runner(database or db.obj).status()
    return [migration.name for migration in status if migration.path is None]


def list_applied_migrations() -> list[str]:
    """Return the names of those that the database has, in order."""
    return [migration.name for migration in _make_runner(db.obj).status() if migration.applied]


def list_migrations() -> list[str]:
    """Return the names of all migrations of this version, in order."""
    return [migration.name for migration in Migration.load_directory(str(MIGRATIONS_DIR))]


def _make_runner(database: Any) -> Runner:
    return Runner(database, str(MIGRATIONS_DIR))
