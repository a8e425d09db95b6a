"""Others hold locks of the database for longer than anybody waits: a reader, a writer, a row."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from checks import Fault, check_answers, check_nothing_lost, fault_under
from load import Load
from support.remote import make_environ
from support.servers import Gunicorn, run_gunicorn

pytestmark = pytest.mark.slow

HELD_S = 6.0  # longer than the service waits for a lock


@contextmanager
def open_sqlite(database_url: str) -> Iterator[sqlite3.Connection]:
    path = database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection:
        yield connection


@pytest.fixture
def server(database_url) -> Iterator[Gunicorn]:
    environ = make_environ(database_url)
    with run_gunicorn(environ) as server:
        server.environ = environ
        yield server


def test_long_reader_keeps_nobody_waiting(server, database_url):
    with (
        Load([server.url], server.environ) as load,
        fault_under(load) as fault,
        open_sqlite(database_url) as reader,
    ):
        reader.execute("BEGIN")
        before = reader.execute("SELECT count(*) FROM submission").fetchone()
        load.wait_for(20)
        assert reader.execute("SELECT count(*) FROM submission").fetchone() == before

    check_answers(load, fault)
    check_nothing_lost(load)
    assert {told.status for told in load.record.answers} <= {200, 201, 303, 429}


def test_writer_that_does_not_end(server, database_url):
    with (
        Load([server.url], server.environ) as load,
        fault_under(load) as fault,
        open_sqlite(database_url) as writer,
    ):
        writer.execute("BEGIN IMMEDIATE")
        time.sleep(HELD_S)

    check_answers(load, fault)
    check_nothing_lost(load)
    check_reads_went_on(load, fault)


def test_transaction_that_holds_a_page_and_is_idle(postgres_database_url):
    environ = make_environ(postgres_database_url)
    with run_gunicorn(environ) as server:
        with (
            Load([server.url], environ) as load,
            fault_under(load) as fault,
            psycopg.connect(postgres_database_url) as operator,
        ):
            operator.execute("SELECT * FROM page FOR UPDATE")
            time.sleep(HELD_S)

        check_answers(load, fault)
        check_nothing_lost(load)
        check_reads_went_on(load, fault)


def check_reads_went_on(load: Load, fault: Fault) -> None:
    """The first writers waited with all threads, and those after them did not."""
    meanwhile = [
        told for told in load.record.answers if fault.began_at < told.ended_at < fault.ended_at
    ]
    assert sum(told.what == "read" and told.status == 200 for told in meanwhile) > 10
    assert sum(told.status == 503 for told in meanwhile) > 10
