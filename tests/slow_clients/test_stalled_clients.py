"""Clients that stall cost little, and are ended, in the configuration that is shipped."""

import re
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Thread

import pytest
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import run_gunicorn
from support.stalled import (
    Stall,
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

    for large in ("in a large form", "that trickle a large form"):  # most leave, for others
        assert b"HTTP/1.1 503 Service Unavailable" in answers.pop(large)
        del stalls[large]
    assert answers == {
        kind: set() if stall.has_small_window else {stall.answer} for kind, stall in stalls.items()
    }


def test_server_that_stops_does_not_wait_for_clients_without_a_request(environ):
    graceful = f"--graceful-timeout={2 * TIMEOUT_S}"
    with run_gunicorn(environ, PATIENT, graceful) as server, ExitStack() as opened:
        page = RemotePage(server.url, environ)
        stalls = list_stalls(page)
        for kind in ("that send nothing", "that ask for nothing more", "that do not hang up"):
            opened.enter_context(stalled_clients(server.url, stalls[kind]))
        assert_served(page, times=1)
        stopping = Thread(target=server.stop)
        stopping.start()
        stopping.join(TIMEOUT_S)

        assert not stopping.is_alive()


# Memory

SOCKETS = 300
FORM = (
    b"POST /dashboard/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 4000000\r\n\r\n"
)


def read_mib(pid: int, name: str) -> float:
    """Return what the system says of a process's memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024


def test_large_forms_that_stall_take_hardly_any_memory(make_sqlite):
    """Each sends the first of its four megabytes, piece by piece and in turn with the others."""
    with run_gunicorn(make_environ(make_sqlite())) as server:
        (worker,) = server.wait_for_workers(1)
        start = read_mib(worker, "VmRSS")
        with stalled_clients(server.url, Stall(FORM), SOCKETS) as clients:
            for _ in range(15):
                for client in clients:
                    with suppress(ConnectionError):
                        client.sendall(b"x" * 70_000)
            assert read_mib(worker, "VmHWM") < start + 40
