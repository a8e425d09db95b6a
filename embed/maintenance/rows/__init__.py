"""All rows of a database, read and written at once, on SQLite and on Postgres alike."""

from embed.maintenance.rows.postgres import PostgresRows
from embed.maintenance.rows.sqlite import SqliteRows
from embed.settings import find_database_file

Rows = SqliteRows | PostgresRows


def open_rows(url: str) -> Rows:
    """Return the rows of the database at `url`, which is connected to at first use."""
    path = find_database_file(url)
    return PostgresRows(url) if path is None else SqliteRows(path)
