"""Clients that stall cost little, and are ended, in the configuration that is shipped."""

from contextlib import ExitStack
from copy import copy
from threading import Thread

import pytest
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import Gunicorn, run_gunicorn
from support.stalled import (
    KINDS,
    add_wallets,
    assert_served,
    list_stalls,
    sign_session,
    stalled_clients,
    wait_until_ended,
)

pytestmark = pytest.mark.slow

IMPATIENT = "--worker-class=tests.support.limited_workers.ImpatientWorker"
PATIENT = "--worker-class=tests.support.limited_workers.PatientWorker"
FRUGAL = "--worker-class=tests.support.limited_workers.FrugalWorker"
THRIFTY = "--worker-class=tests.support.limited_workers.ThriftyWorker"


@pytest.fixture(scope="module")
def environ(make_sqlite):
    return make_environ(make_sqlite())


@pytest.fixture(scope="module")
def page(environ):
    """A large page, on the shipped configuration."""
    with run_gunicorn(environ) as server:
        page = RemotePage(server.url, environ)
        add_wallets(environ["DATABASE_URL"], page.page_id)
        yield page


@pytest.fixture(scope="module")
def small_page(page, environ):
    return RemotePage(page.server_url, environ)


def replace_server(page: RemotePage, server: Gunicorn) -> RemotePage:
    other = copy(page)
    other.server_url = server.url
    return other


@pytest.mark.parametrize("kind", KINDS)
def test_others_are_served_while_40_clients_stall(kind, page, small_page):
    with stalled_clients(page.server_url, list_stalls(page)[kind]):
        assert_served(small_page)


def test_server_ends_clients_that_stall(page, environ):
    with run_gunicorn(environ, IMPATIENT) as server, ExitStack() as opened:
        stalls = list_stalls(page)
        clients = {
            kind: opened.enter_context(stalled_clients(server.url, stall))
            for kind, stall in stalls.items()
        }
        answers = {kind: wait_until_ended(clients[kind], stalls[kind]) for kind in stalls}

    assert answers == {
        kind: set() if stall.has_small_window else {stall.answer} for kind, stall in stalls.items()
    }


def test_answers_that_nobody_reads_are_cut_off_when_they_take_too_much_memory(page, environ):
    stall = list_stalls(page)["that never read"]
    with (
        run_gunicorn(environ, FRUGAL) as server,
        stalled_clients(server.url, stall, count=4) as clients,
    ):
        wait_until_ended(clients, stall)


def test_stalled_uploads_neither_cut_off_answers_nor_keep_owners_from_uploading(page, environ):
    uploads = list_stalls(page)["in a large form"]
    with (
        run_gunicorn(environ, THRIFTY) as server,
        stalled_clients(server.url, uploads) as stalled,
    ):
        other = replace_server(page, server)
        answer = other.read()
        assert len(answer.json["wallets"]) > 10_000
        cookie = sign_session().decode().removeprefix("Cookie: ")
        form = {"Cookie": cookie, "Content-Type": "multipart/form-data; boundary=x"}
        refused = other.call("POST", "/dashboard/sign-in", headers=form, data=b"x" * 400_000)
        assert refused.status_code == 413  # the app's own answer
        assert stalled[0].recv(100).startswith(b"HTTP/1.1 503 ")


def test_server_that_stops_does_not_wait_for_clients_without_a_request(page, environ):
    stalls = list_stalls(page)
    graceful = f"--graceful-timeout={2 * TIMEOUT_S}"
    with run_gunicorn(environ, PATIENT, graceful) as server, ExitStack() as opened:
        for kind in (
            *("that send nothing", "that send one byte"),
            *("in a large form", "that do not hang up"),
        ):
            opened.enter_context(stalled_clients(server.url, stalls[kind]))
        assert_served(replace_server(page, server), times=1)
        stopping = Thread(target=server.stop)
        stopping.start()
        stopping.join(TIMEOUT_S)

        assert not stopping.is_alive()
