"""kill -9 of a worker process, and of gunicorn with all its workers."""

import os
import signal
import time

import pytest
import requests
from checks import check_answers, check_nothing_lost, fault_under
from load import Load, wait_for
from remote import TIMEOUT_S, make_environ
from servers import Gunicorn

AWAY_S = 1.0


@pytest.fixture
def server(database_url, redis_url) -> Gunicorn:
    """The small form on SQLite, and two workers on Postgres; not started yet."""
    environ = make_environ(database_url)
    if database_url.startswith("sqlite:"):
        server = Gunicorn(environ)
    else:
        environ["RATELIMIT_STORAGE_URI"] = redis_url
        server = Gunicorn(environ, "--workers", "2")
    server.environ = environ
    yield server
    server.stop()


def start(server: Gunicorn) -> float:
    """Return how many seconds it took until the first answer."""
    began_at = time.monotonic()
    server.start()
    requests.get(server.url, timeout=TIMEOUT_S)
    return time.monotonic() - began_at


def test_every_worker_process_killed_one_after_the_other(server):
    usual_start_s = start(server)
    faults = []
    with Load([server.url], server.environ) as load:
        for worker in server.list_workers():
            with fault_under(load, usual_start_s=usual_start_s) as fault:
                faults.append(fault)
                os.kill(worker, signal.SIGKILL)
                wait_for(lambda worker=worker: worker not in server.list_workers())

    check_answers(load, *faults, may_cut_off=True)
    check_nothing_lost(load)


def test_gunicorn_and_all_its_workers_killed(server):
    usual_start_s = start(server)
    with (
        Load([server.url], server.environ) as load,
        fault_under(load, usual_start_s=usual_start_s) as fault,
    ):
        server.kill()
        time.sleep(AWAY_S)
        fault.ended_at = time.monotonic()
        server.start()

    check_answers(load, fault, may_cut_off=True)
    check_nothing_lost(load)
    assert any(told.status is None for told in load.record.answers)
