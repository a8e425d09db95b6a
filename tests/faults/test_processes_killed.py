"""kill -9 of a worker process, and of gunicorn with all its workers."""

import os
import signal
import time

import pytest
from checks import check_answers, check_nothing_lost, fault_under
from load import Load
from support.remote import make_environ
from support.servers import Gunicorn
from support.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

AWAY_S = 1.0


@pytest.fixture
def server(database_url, redis_url) -> Gunicorn:
    """The small form on SQLite, and two workers on Postgres."""
    environ = make_environ(database_url)
    options = ()
    if not database_url.startswith("sqlite:"):
        environ["RATELIMIT_STORAGE_URI"] = redis_url
        options = ("--workers", "2")
    server = Gunicorn(environ, *options)
    server.environ = environ
    server.start()
    yield server
    server.stop()


def test_worker_process_killed(server):
    with Load([server.url], server.environ) as load, fault_under(load) as fault:
        worker = min(server.list_workers())
        os.kill(worker, signal.SIGKILL)
        wait_for(lambda: worker not in server.list_workers())

    check_answers(load, fault, may_cut_off=True)
    check_nothing_lost(load)


@pytest.mark.databases("sqlite")
def test_gunicorn_and_all_its_workers_killed(server):
    with Load([server.url], server.environ) as load, fault_under(load) as fault:
        server.kill()
        time.sleep(AWAY_S)
        fault.ended_at = time.monotonic()
        server.start()

    check_answers(load, fault, may_cut_off=True)
    check_nothing_lost(load)
    assert any(told.status is None for told in load.record.answers)
