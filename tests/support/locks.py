"""Locks that another program holds in the database."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from support.postgres import open_cursor


@contextmanager
def held_writes(database_url: str) -> Iterator[None]:
    """Let every submission wait; the service waits 20 s for SQLite."""
    if database_url.startswith("sqlite:"):
        with closing(open_sqlite(database_url)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            yield
    else:
        with open_cursor(database_url) as holder:
            holder.execute("LOCK TABLE submission IN SHARE MODE")
            yield


@contextmanager
def held_reads(database_url: str) -> Iterator[None]:
    """Let readiness wait; with SQLite, nobody else may be connected."""
    if database_url.startswith("sqlite:"):
        with closing(open_sqlite(database_url)) as holder:
            holder.execute("PRAGMA locking_mode = EXCLUSIVE")
            holder.execute("BEGIN EXCLUSIVE")
            yield
    else:
        with open_cursor(database_url) as holder:
            holder.execute("LOCK TABLE schema_migration IN ACCESS EXCLUSIVE MODE")
            yield


def open_sqlite(database_url: str) -> sqlite3.Connection:
    return sqlite3.connect(database_url.removeprefix("sqlite:///"))
