"""Clients that stall keep nobody waiting, and are ended."""

from contextlib import ExitStack

import pytest
from support.remote import RemotePage, make_environ
from support.servers import run_gunicorn
from support.stalled import (
    add_wallets,
    assert_served,
    list_stalls,
    stalled_clients,
    wait_until_ended,
)

pytestmark = pytest.mark.slow

IMPATIENT = "--worker-class=tests.support.limited_workers.ImpatientWorker"
PATIENT = "--worker-class=tests.support.limited_workers.PatientWorker"


@pytest.fixture(scope="module")
def environ(make_sqlite):
    return make_environ(make_sqlite())


def test_clients_that_stall_in_every_way_keep_nobody_waiting_and_are_ended(environ):
    # Some read their answer before the server loses patience, and then only keep the connection.
    with run_gunicorn(environ, IMPATIENT, "--keep-alive=4") as server, ExitStack() as opened:
        large, small = (RemotePage(server.url, environ) for _ in range(2))
        add_wallets(environ["DATABASE_URL"], large.page_id)
        stalls = list_stalls(large)
        clients = {
            kind: opened.enter_context(stalled_clients(server.url, stall))
            for kind, stall in stalls.items()
        }
        assert_served(small)
        answers = {kind: wait_until_ended(clients[kind], stalls[kind]) for kind in stalls}

    # Most leave, for others.
    assert b"HTTP/1.1 503 Service Unavailable" in answers.pop("in a large form")
    del stalls["in a large form"]
    assert answers == {
        kind: set() if stall.has_small_window else {stall.answer} for kind, stall in stalls.items()
    }


@pytest.mark.parametrize(
    "kind", ["that send nothing", "in the head", "in a large form", "that never read"]
)
def test_others_are_served_while_some_stall_on_all_connections(kind, environ):
    # It ends no client by itself.
    options = (PATIENT, "--keep-alive=1000", "--worker-connections=40")
    with run_gunicorn(environ, *options) as server:
        large, small = (RemotePage(server.url, environ) for _ in range(2))
        add_wallets(environ["DATABASE_URL"], large.page_id)
        with stalled_clients(server.url, list_stalls(large)[kind], 70):
            assert_served(small)
