"""All connections are taken: who stalls leaves room for others."""

import os
import selectors
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import run_gunicorn
from support.stalled import Stall, add_wallets, assert_served, list_stalls, stalled_clients
from support.waiting import wait_for

pytestmark = pytest.mark.slow

PLACES, CLIENTS = 40, 70
# It ends no client by itself.
PATIENT = ("--worker-class=tests.support.limited_workers.PatientWorker", "--keep-alive=1000")


@pytest.fixture(scope="module")
def environ(make_sqlite):
    return make_environ(make_sqlite())


@pytest.fixture(scope="module")
def large_page(environ):
    with run_gunicorn(environ, *PATIENT, f"--worker-connections={PLACES}") as server:
        page = RemotePage(server.url, environ)
        add_wallets(environ["DATABASE_URL"], page.page_id)
        yield page


@pytest.fixture(scope="module")
def page(large_page, environ):
    return RemotePage(large_page.server_url, environ)


@contextmanager
def asking_clients(page: RemotePage) -> Iterator[None]:
    """Hold connections that ask again as soon as they have an answer."""
    request = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
    is_over = Event()

    def ask_again() -> None:
        with selectors.DefaultSelector() as selector:
            for client in clients:
                selector.register(client, selectors.EVENT_READ)
            while not is_over.is_set():
                for key, _ in selector.select(0.1):
                    try:
                        key.fileobj.recv(65536)
                        key.fileobj.sendall(request)
                    except OSError:
                        selector.unregister(key.fileobj)

    stall = Stall(request)
    with stalled_clients(page.server_url, stall, CLIENTS) as clients:
        thread = Thread(target=ask_again)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


@contextmanager
def paused(process: int) -> Iterator[None]:
    """Let a process stand still: the signal alone may take effect a little later."""
    os.kill(process, signal.SIGSTOP)
    status = Path(f"/proc/{process}/status")
    wait_for(lambda: "State:\tT" in status.read_text())
    yield
    os.kill(process, signal.SIGCONT)


def test_others_are_served_while_some_ask_without_end_on_all_connections(page):
    with asking_clients(page):
        assert_served(page)


@pytest.mark.parametrize(
    "kind",
    [
        "that send nothing",
        "in the head",
        "in a large form",
        "that ask for nothing more",
        "that never read",
    ],
)
def test_others_are_served_while_some_stall_on_all_connections(kind, large_page, page):
    stall = list_stalls(large_page)[kind]
    with stalled_clients(page.server_url, stall, CLIENTS):
        assert_served(page)


def test_newcomer_takes_no_place_of_a_client_whose_body_has_just_arrived(environ):
    """The process stands still until a newcomer and one of two clients have sent theirs."""
    head = b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
    options = (*PATIENT, "--threads=1", "--worker-connections=2")
    with run_gunicorn(environ, *options) as server, ExitStack() as opened:

        def connect() -> socket.socket:
            client = socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S)
            return opened.enter_context(client)

        ending, stalling = connect(), connect()
        # First an answer, or it may stand still while it accepts, and goes on with the newcomer.
        for client in (ending, stalling):
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            assert client.recv(65536).endswith(b"yes\n")
        for client in (ending, stalling):
            client.sendall(head + b"Expect: 100-continue\r\n\r\n")
            assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        (worker,) = server.wait_for_workers(1)
        with paused(worker):
            newcomer = connect()
            newcomer.sendall(head + b"\r\na")
            ending.sendall(b"a")

        answers = [client.recv(12)[9:] for client in (ending, stalling, newcomer)]
        assert answers == [b"405", b"503", b"405"]
