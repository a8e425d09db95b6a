"""All rows of a database, read and written at once, on SQLite and on Postgres alike."""

from pathlib import Path

from embed.maintenance.rows.postgres import PostgresRows
from embed.maintenance.rows.sqlite import SqliteRows
from embed.settings.files import find_sqlite_path

Rows = SqliteRows | PostgresRows


def open_rows(url: str) -> Rows:
    """Return the rows of the database at `url`, which is connected to at first use."""
    if url.startswith("sqlite:"):
        return SqliteRows(Path(find_sqlite_path(url)))
    return PostgresRows(url)
