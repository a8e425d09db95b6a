"""How connections are opened, and what the schema does not allow."""

import operator
import os
import shutil
import socket
import stat
import threading
from decimal import Decimal

import pytest
from peewee import (
    IntegrityError,
    InterfaceError,
    OperationalError,
)
from support.filled_database import ROWS, fill, read_stored, using
from support.operator import dump
from support.postgres import open_cursor
from support.world import Visitor

from embed import pages
from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.models import Balance, Page

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


# Connections


def test_database_is_made_for_its_user_alone_in_a_folder_that_was_there_before(tmp_path):
    before = os.umask(0)
    try:
        connection.open_database(f"sqlite:///{tmp_path / 'embed.db'}")
        schema_version.upgrade()
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
        db.close()

    assert modes == dict.fromkeys(["embed.db", "embed.db-wal", "embed.db-shm"], 0o600)


def test_every_sqlite_connection_is_durable_and_keeps_foreign_keys(tmp_path):
    connection.open_database(f"sqlite:///{tmp_path / 'new' / 'embed.db'}")
    connection.create_if_missing(db.obj)
    pragmas = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 3_000}
    seen = []

    def read_pragmas() -> None:
        seen.append({name: db.execute_sql(f"PRAGMA {name}").fetchone()[0] for name in pragmas})
        db.close()

    for _ in range(2):
        thread = threading.Thread(target=read_pragmas)
        thread.start()
        thread.join()

    assert seen == [pragmas, pragmas]


def test_nothing_is_written_to_a_file_that_is_gone_and_another_one_is_opened(tmp_path):
    path, copy = tmp_path / "embed.db", tmp_path / "copy.db"
    connection.open_database(f"sqlite:///{path}")
    connection.create_if_missing(db.obj)
    db.execute_sql("CREATE TABLE written (what)")
    db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(path, copy)

    with db.atomic():
        path.unlink()
        db.execute_sql("INSERT INTO written VALUES (1)")  # one transaction is never of two files
    with pytest.raises(OperationalError, match="unable to open"), db.atomic():
        db.execute_sql("INSERT INTO written VALUES (2)")
    assert not path.exists()
    for left in (tmp_path / "embed.db-wal", tmp_path / "embed.db-shm"):
        left.unlink(missing_ok=True)
    copy.rename(path)

    assert db.execute_sql("SELECT count(*) FROM written").fetchone() == (0,)
    db.close()


def test_postgres_database_of_another_encoding_is_refused_with_what_to_do(postgres_url):
    name = f"test_{os.urandom(8).hex()}"
    with open_cursor(postgres_url.format(name="postgres"), autocommit=True) as cluster:
        options = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        cluster.execute(f"CREATE DATABASE {name} {options}")

    database = connection.make_database(postgres_url.format(name=name))
    with pytest.raises(InterfaceError, match=r"SQL_ASCII, and .* --encoding UTF8 --template t"):
        schema_version.upgrade(database)

    assert database.is_closed()


def test_postgres_that_accepts_and_says_nothing_is_given_up_on(monkeypatch):
    shortest_s = 2  # that Postgres knows
    monkeypatch.setitem(connection._CONNECTION_LIMITS, "connect_timeout", shortest_s)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        connection.open_database(f"postgresql://embed@127.0.0.1:{silent.getsockname()[1]}/embed")

        with pytest.raises(OperationalError, match="timeout"):
            db.connect()


# Constraints


@pytest.mark.parametrize(("table", "column"), [("page", "min_balance"), ("balance", "amount")])
def test_database_refuses_texts_that_are_no_amounts(world, table, column):
    world.observe(Visitor().address, "18446744073.709551615")
    before = dump()

    for text in ("", "-0.5", "+1", "NaN", "Infinity", "1e5", ".5", "1.2.3", "1,5", "١"):
        with pytest.raises(IntegrityError), db.atomic():
            db.execute_sql(f"UPDATE {table} SET {column} = {db.param}", [text])  # noqa: S608

    assert dump() == before


def test_database_is_not_asked_to_order_amounts(world):
    for ask in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError, match="compare amounts as text"):
            ask(Balance.amount, Decimal(5))


# Removal

OF_PEOPLE = {"person", "session", "passkey", "account_event", "balance"}
OF_READINGS = {"token", "chain_balance", "daily_balance"}
OF_NO_PAGE = OF_PEOPLE | OF_READINGS | {"used_nonce", "job", "lease"}


def test_purge_removes_everything_of_a_page_and_nothing_else(database_url):
    fill(database_url)
    before = read_stored(database_url)

    with using(database_url):
        pages.purge_page(min(page.id for page in Page.select()))

    after = read_stored(database_url)
    assert all(set(rows) <= set(before[table]) for table, rows in after.items())
    assert {table: len(rows) for table, rows in after.items()} == {
        table: ROWS if table in OF_NO_PAGE else ROWS - 1 for table in before
    }
