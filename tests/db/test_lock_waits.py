"""Locks that others hold: how long each thread waits, and what callers get meanwhile."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from peewee import OperationalError, SqliteDatabase
from support.locks import held_writes
from support.owner_browser import OwnerBrowser
from support.world import Visitor

from embed.db import lock_waits
from embed.db.connection import best_effort, db
from embed.db.lock_waits import serve_requests
from embed.db.models import ApiKey
from embed.events.editing import lock_page

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

LONGEST_MS, REQUEST_MS, BRIEF_MS = 20_000, 400, 250


@pytest.fixture(autouse=True)
def short_waits(monkeypatch) -> None:
    monkeypatch.setattr(lock_waits, "_REQUEST_MS", REQUEST_MS)
    monkeypatch.setattr(lock_waits, "_held", set())


@contextmanager
def held_page(database_url: str) -> Iterator[None]:
    """Hold what every change of a page locks, and in Postgres what a read notes of its key."""
    if database_url.startswith("sqlite:"):
        with held_writes(database_url):
            yield
    else:
        with psycopg.connect(database_url) as holder:
            holder.execute("SELECT * FROM page, api_key FOR UPDATE")
            yield


def read_wait_ms() -> int:
    """Return how long the database lets this thread wait for a lock."""
    if isinstance(db.obj, SqliteDatabase):
        return int(db.execute_sql("PRAGMA busy_timeout").fetchone()[0])
    query = "SELECT setting FROM pg_settings WHERE name = 'lock_timeout'"
    return int(db.execute_sql(query).fetchone()[0])


def find_wait_ms(page_id: str, *, is_request: bool = True) -> int:
    """Lock a page in a new thread, and return how long it would have waited."""

    def act() -> int:
        if is_request:
            serve_requests()
        try:
            with db.atomic():
                lock_page(page_id)
                return read_wait_ms()
        finally:
            db.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(act).result()


def test_requests_wait_less_than_commands_and_background_work(world):
    assert find_wait_ms(world.page_id) == REQUEST_MS
    assert find_wait_ms(world.page_id, is_request=False) == LONGEST_MS


@pytest.fixture
def waited_in_vain(world, environ) -> None:
    with held_page(environ["DATABASE_URL"]), pytest.raises(OperationalError):
        find_wait_ms(world.page_id)


@pytest.mark.usefixtures("waited_in_vain")
def test_requests_after_one_that_waited_in_vain_hardly_wait_until_one_gets_the_lock(world):
    waits = [find_wait_ms(world.page_id) for _ in range(2)]

    assert waits == [BRIEF_MS, REQUEST_MS]


@pytest.mark.usefixtures("waited_in_vain")
def test_background_work_stays_patient_when_a_request_waited_in_vain(world):
    assert find_wait_ms(world.page_id, is_request=False) == LONGEST_MS


def test_what_no_answer_depends_on_hardly_waits_and_leaves_other_waits_as_they_were(world):
    serve_requests()
    db.close()  # so that the connection begins there

    with best_effort(), db.atomic():
        hardly = read_wait_ms()
    with db.atomic():
        usual = read_wait_ms()

    assert (hardly, usual) == (BRIEF_MS, REQUEST_MS)


def test_writes_are_503_with_retry_after_and_reads_go_on(world, environ):
    owner, visitor = OwnerBrowser(world), Visitor()
    owner.take(world.page_id)
    draft = world.draft(visitor)
    ApiKey.update(last_used_at=None).execute()  # so that a read would note the use of its key
    path = f"/dashboard/pages/{world.page_id}/tags"

    with held_page(environ["DATABASE_URL"]):
        reads = [world.read(), world.list_own(visitor), owner.get(path)]
        writes = [world.post(draft), owner.post(path, name="team", color="green")]

    assert [answer.status_code for answer in reads] == [200] * 3
    assert [answer.status_code for answer in writes] == [503] * 2
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in writes)
    assert world.post(draft).status_code == 201
