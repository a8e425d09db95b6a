"""Fills a database from a backup or from another database."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from peewee import OperationalError, PeeweeException

from embed.db import connection, schema_version
from embed.errors import InvalidInput
from embed.maintenance.backups import (
    Backup,
    TableSum,
    check_backup,
    check_is_new,
    check_is_newest,
    check_migrations,
    copy_tables,
    describe_newest,
    save_rows,
    sum_tables,
    upgrade_file,
)
from embed.maintenance.rows import Rows, Schema, SqliteRows, open_rows
from embed.settings import find_database_file

# Running processes write these; they don't mean that a database has data to keep.
_OF_PROCESSES = ("job", "lease")


@dataclass(frozen=True, slots=True)
class Restored:
    tables: list[TableSum]
    kept: Backup | None  # of the previous content


def restore_backup(path: Path, database_url: str, *, kept: Path | None = None) -> Restored:
    """Replace a database's content with a backup, in one transaction.

    Existing rows are saved to the new file `kept` first; without it, only an empty database is
    filled. Nobody else may have the database open. Raises InvalidInput, OSError.
    """
    if kept is not None:
        check_is_new(kept)
    schema = describe_newest()
    with _open_backup(path) as source:
        _prepare(database_url, "The database")
        with open_rows(database_url).alone(schema) as target:
            if _is_empty(target, schema):
                return Restored(_fill(source, target, schema), None)
            if kept is None:
                raise InvalidInput(
                    "The database is not empty. To replace what it holds, add --replace FILE --yes,"
                    " where FILE is a new file in which that is saved first."
                )
            saved = save_rows(target, kept)
            return Restored(_fill(source, target, schema), saved)


def check_restorable(path: Path) -> list[TableSum]:
    """Check and count what a backup would restore to this version's tables. Raises InvalidInput."""
    with _open_backup(path) as source:
        return sum_tables(source, describe_newest())


def copy_database(from_url: str, to_url: str) -> list[TableSum]:
    """Copy everything into an empty database, while nobody else has either database open.

    An older source is upgraded first. Raises InvalidInput.
    """
    if _is_same(from_url, to_url):
        raise InvalidInput("This is the database that is to be copied; name another.")
    schema = describe_newest()
    _upgrade(from_url, "The database")
    _prepare(to_url, "The other database")
    with open_rows(from_url).alone(schema) as source, open_rows(to_url).alone(schema) as target:
        if not _is_empty(target, schema):
            raise InvalidInput("The other database is not empty, and nothing is replaced.")
        return _fill(source, target, schema)


def _is_same(first_url: str, second_url: str) -> bool:
    """Return whether both are the same file, or the same Postgres address."""
    first, second = (
        path.resolve() if (path := find_database_file(url)) else url
        for url in (first_url, second_url)
    )
    return first == second


@contextmanager
def _open_backup(path: Path) -> Iterator[Rows]:
    """Yield a checked backup's rows in this version's form, from an upgraded copy if it's older."""
    with SqliteRows(path).snapshot() as file:
        if check_backup(file) == schema_version.list_migrations():
            yield file
            return
        with tempfile.TemporaryDirectory(prefix="embed-restore-") as folder:
            copy = Path(shutil.copy(path, folder))
            upgrade_file(copy)
            with SqliteRows(copy).snapshot() as rows:
                yield rows


def _upgrade(url: str, name: str) -> None:
    """Upgrade a database that nobody else has open to this version. Raises InvalidInput."""
    with open_rows(url).alone() as rows:
        migrations = rows.list_migrations()
        check_migrations(migrations, f"{name} cannot be used.")
    if migrations == schema_version.list_migrations():
        return
    database = connection.make_database(url)
    try:
        with database.connection_context():
            schema_version.upgrade(database)
    except PeeweeException as error:
        raise InvalidInput(f"{name} cannot be upgraded: {error}") from error


def _prepare(url: str, name: str) -> None:
    """Create the tables if a database has none yet. Raises InvalidInput."""
    database = connection.make_database(url)
    try:
        connection.create_if_missing(database)
        with database.connection_context():
            if not database.table_exists("schema_migration"):
                schema_version.upgrade(database)
    except OperationalError as error:
        raise InvalidInput(f"{name} cannot be used: {error}") from error
    with open_rows(url).snapshot() as rows:
        check_is_newest(rows, name)


def _is_empty(target: Rows, schema: Schema) -> bool:
    return not any(target.has_rows(table) for table in schema if table not in _OF_PROCESSES)


def _fill(source: Rows, target: Rows, schema: Schema) -> list[TableSum]:
    target.empty(reversed(schema))
    sums = copy_tables(source, target, schema)
    for sent, arrived in zip(sums, sum_tables(target, schema), strict=True):
        if sent != arrived:
            raise InvalidInput(
                f"{sent.rows} rows of {sent.table} were sent and {arrived.rows} arrived, or some"
                " of them changed on the way."
            )
    target.fill_computed()
    # The processes from that time are gone.
    target.change("DELETE FROM lease")
    target.change("UPDATE receiver SET claimed_until = NULL")
    target.change("DELETE FROM session")  # some may have ended since the backup
    target.count_anew(schema)
    return sums
