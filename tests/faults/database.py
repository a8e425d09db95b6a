"""Reading a service's database past the service, also while a fault lasts."""

import sqlite3
from contextlib import closing
from typing import Any

from support.postgres import open_cursor


def read_rows(database_url: str, query: str) -> list[tuple[Any, ...]]:
    """Run a query on a connection of its own; it sees what was committed."""
    if database_url.startswith("sqlite:///"):
        path = database_url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
            return database.execute(query).fetchall()
    with open_cursor(database_url, autocommit=True) as database:
        return database.execute(query).fetchall()


def count_pending(database_url: str, page_id: str) -> int:
    query = "SELECT count(*) FROM submission WHERE page_id = '{}' AND status = 'pending'"
    ((count,),) = read_rows(database_url, query.format(page_id))
    return int(count)
