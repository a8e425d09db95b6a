"""Backups: one file with all rows of the database, SQLite or Postgres.

The file is a SQLite database with the service's tables, plus a table with a checksum of each.
Copies to another database are checked by the same sums.
"""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from datetime import datetime
from pathlib import Path

import msgspec
from peewee import PeeweeException

from embed.db import folded, schema_version
from embed.db.connection import SqliteFile
from embed.db.models import MODELS
from embed.errors import InvalidInput
from embed.maintenance.rows import Rows, Schema, SqliteRows, open_rows

_APPLICATION_ID = 0x74656D62  # "temb": the program that a SQLite file belongs to
_NAME = "embed-%Y-%m-%dT%H%M%SZ.db"  # the time in UTC, for files in a folder of backups
_NAME_FORM = re.compile(r"embed-\d{4}-\d\d-\d\dT\d{6}Z\.db")
_PART = ".part"  # suffix of the temporary folder in which a backup is made
_DAY_S = 86_400
_MASK = (1 << 256) - 1
_SUMS = "backup_sum"
_SUM_COLUMNS = ("table_name", "row_count", "checksum")


@dataclass(frozen=True, slots=True)
class TableSum:
    """A table's number of rows, and a checksum that doesn't depend on their order."""

    table: str
    rows: int
    checksum: str  # 64 hexadecimal digits


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    size_bytes: int
    tables: list[TableSum]


def make_backup(database_url: str, path: Path) -> Backup:
    """Save all rows as of one instant to a new file, while the service keeps running.

    The file gets its name when it's complete. Raises InvalidInput, OSError.
    """
    check_is_new(path)
    with open_rows(database_url).snapshot() as source:
        return save_rows(source, path)


def choose_path(path: Path, now: datetime) -> Path:
    """Return a new file's path: `path` itself, or one named after the time if that's a folder."""
    return path / now.strftime(_NAME) if path.is_dir() else path


def delete_older_backups(newest: Path, keep: int) -> list[Path]:
    """Delete all but a folder's last `keep` backups by name, and return the deleted ones.

    Files stay unless they're named like those of choose_path. Folders left by killed backups
    are deleted after a day. Raises OSError.
    """
    named = [
        path
        for path in newest.parent.iterdir()
        if _NAME_FORM.fullmatch(path.name) and path.is_file()
    ]
    older = sorted(named)[:-keep]
    for path in older:
        path.unlink(missing_ok=True)  # another backup may have deleted it
    left = [
        path
        for path in sorted(newest.parent.glob(f".embed-*{_PART}"))
        if newest.stat().st_mtime - path.stat().st_mtime > _DAY_S
    ]
    for path in left:
        shutil.rmtree(path)
    return older + left


def check_is_new(path: Path) -> None:
    if str(path) == "-":
        raise InvalidInput("A backup cannot be written to standard output; name a new file.")
    if path.exists() or path.is_symlink():
        raise InvalidInput(f"{path} exists already, and nothing is overwritten.")


def save_rows(source: Rows, path: Path) -> Backup:
    """Save everything that a transaction sees, and check the file. Raises InvalidInput, OSError."""
    check_is_newest(source, "The database")
    with tempfile.TemporaryDirectory(
        dir=path.parent, prefix=f".{path.name}.", suffix=_PART
    ) as folder:
        part = Path(folder, path.name)
        part.touch(mode=0o600)
        sums = _fill(part, source)
        with SqliteRows(part).snapshot() as written:  # reads the disk, as a restore would
            check_backup(written)
        size = part.stat().st_size
        check_is_new(path)
        part.rename(path)
    _sync_folder(path.parent)
    return Backup(path, size, sums)


def _fill(part: Path, source: Rows) -> list[TableSum]:
    upgrade_file(part)
    with SqliteRows(part).alone() as target:
        target.change(f"PRAGMA application_id = {_APPLICATION_ID}")
        sums = copy_tables(source, target, describe_newest())
        target.change(f"CREATE TABLE {_SUMS} ({', '.join(_SUM_COLUMNS)})")
        target.write(_SUMS, _SUM_COLUMNS, map(astuple, sums))
    return sums


def upgrade_file(path: Path) -> None:
    """Upgrade a SQLite file, which may be empty, to this version. Raises InvalidInput."""
    database = SqliteFile(str(path))
    try:
        schema_version.upgrade(database)
    except PeeweeException as error:
        raise InvalidInput(f"{path} cannot be written: {error}") from error
    finally:
        database.close()


def check_backup(file: SqliteRows) -> list[str]:
    """Check that a backup is complete and undamaged, and return its migrations.

    The file is in a transaction. Raises InvalidInput.
    """
    if file.fetch("PRAGMA application_id") != [(_APPLICATION_ID,)]:
        raise InvalidInput(f"{file.path} was not made by flask backup.")
    ((verdict,),) = file.fetch("PRAGMA integrity_check(1)")
    if verdict != "ok":
        raise InvalidInput(f"{file.path} is damaged: {verdict}")
    migrations = file.list_migrations()
    check_migrations(migrations, f"{file.path} cannot be restored.")
    saved = {TableSum(*row) for row in file.read(_SUMS, _SUM_COLUMNS)}
    wrong = saved ^ set(sum_tables(file, read_saved_schema(file)))
    if wrong:
        table = min(str(each.table) for each in wrong)
        raise InvalidInput(
            f"{file.path} is damaged: its rows are not those that were saved, in {table}."
        )
    return migrations


def read_saved_schema(file: SqliteRows) -> Schema:
    return {
        table: leave_out_computed(columns)
        for table, columns in file.read_schema().items()
        if table != _SUMS
    }


def _sync_folder(folder: Path) -> None:
    """Make the file's name survive a power failure; SQLite has done so for its content."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# The rows, and their sums


def describe_newest() -> Schema:
    """Return what is copied of this version's schema, so without columns that are computed.

    Tables come after those that they refer to.
    """
    return {
        model._meta.table_name: leave_out_computed(
            sorted(field.column_name for field in model._meta.sorted_fields)
        )
        for model in MODELS
    }


def leave_out_computed(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(column for column in columns if column != folded.COLUMN)


def check_migrations(migrations: Sequence[str], refusal: str) -> None:
    """Raises InvalidInput, starting with `refusal`, unless this version can use or upgrade them."""
    if not migrations:
        raise InvalidInput(f"{refusal} It has no tables of this service.")
    try:
        schema_version.check_version(migrations)
    except schema_version.OtherVersion as error:
        raise InvalidInput(f"{refusal} {error}") from error


def check_is_newest(rows: Rows, name: str) -> None:
    """Raises InvalidInput unless the database called `name` is at this version."""
    migrations = rows.list_migrations()
    check_migrations(migrations, f"{name} cannot be used.")
    if migrations != schema_version.list_migrations():
        raise InvalidInput(f"{name} has not been upgraded to this version: run flask db upgrade")


def sum_tables(source: Rows, schema: Schema) -> list[TableSum]:
    return [_sum_table(source, table, columns) for table, columns in schema.items()]


def _sum_table(source: Rows, table: str, columns: tuple[str, ...]) -> TableSum:
    count = total = 0
    for row in source.read(table, columns):
        digest = hashlib.sha256(msgspec.msgpack.encode(row)).digest()
        total = (total + int.from_bytes(digest)) & _MASK
        count += 1
    return TableSum(table, count, f"{total:064x}")


def copy_tables(source: Rows, target: Rows, schema: Schema) -> list[TableSum]:
    """Copy all rows into an empty database, and return the sums of the source's.

    Both are in a transaction. Raises InvalidInput.
    """
    for table, columns in schema.items():
        _copy_table(source, target, table, columns)
    return sum_tables(source, schema)


def _copy_table(source: Rows, target: Rows, table: str, columns: tuple[str, ...]) -> None:
    with closing(source.read(table, columns)) as rows:  # even if writing stops early
        target.write(table, columns, rows)
