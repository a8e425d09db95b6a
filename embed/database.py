"""The one database: opened from its address, brought to this version, asked in transactions.

A connection stays open per thread: opening one costs more than most requests.
"""

from pathlib import Path
from urllib.parse import unquote

from peewee import Database, DatabaseProxy, PostgresqlDatabase, SqliteDatabase
from playhouse.migrations import Runner

from embed.settings import PROJECT_DIR

MIGRATIONS_DIR = Path(__file__).parent / "migrations"

db = DatabaseProxy()

# Any number will do, as long as it is this project's own.
_UPGRADE_LOCK = 7_013_508_215

_SQLITE_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",  # what was acknowledged survives a power cut
    "foreign_keys": 1,
}
_BUSY_TIMEOUT_S = 20


def open_database(url: str) -> Database:
    """Make `url` the database that every model reads and writes; connects at first use.

    ``sqlite:///path`` counts from the project's folder, ``sqlite:////path`` from the root.
    """
    database = _open_sqlite(url) if url.startswith("sqlite:") else _open_postgres(url)
    db.initialize(database)
    return database


def _open_sqlite(url: str) -> Database:
    path = PROJECT_DIR / unquote(url.removeprefix("sqlite:///"))
    path.parent.mkdir(parents=True, exist_ok=True)
    return SqliteDatabase(
        str(path),
        pragmas=_SQLITE_PRAGMAS,
        timeout=_BUSY_TIMEOUT_S,
        # A transaction that reads first and then wants to write would fail at once
        # when another wrote in between; so it takes the write lock at its start.
        lock_type="IMMEDIATE",
    )


def _open_postgres(url: str) -> Database:
    return PostgresqlDatabase(url, prefer_psycopg3=True)


def discard_broken_connection() -> None:
    """Close this thread's connection if the server has gone; the next use opens a new one."""
    if not db.is_connection_usable():
        db.close()


def upgrade() -> list[str]:
    """Apply what is missing, all or nothing, and return the names of what was applied.

    Several servers may start at once: one upgrades, the others wait and find nothing to do.
    """
    with db.atomic():
        if isinstance(db.obj, PostgresqlDatabase):
            db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (_UPGRADE_LOCK,))
        applied: list[str] = _runner().up()
        return applied


def list_missing_migrations() -> list[str]:
    return [migration.name for migration in _runner().status() if not migration.applied]


def _runner() -> Runner:
    return Runner(db.obj, str(MIGRATIONS_DIR))
