"""All connections are taken: whoever holds many leaves room for others."""

import os
import selectors
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread

import pytest
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import run_gunicorn
from support.stalled import Stall, add_wallets, assert_served, list_stalls, stalled_clients
from support.waiting import wait_for

pytestmark = pytest.mark.slow

PLACES, CLIENTS = 40, 70
EXTRA = 20  # connections beyond the places
# It ends no client by itself.
PATIENT = ("--worker-class=tests.support.limited_workers.PatientWorker", "--keep-alive=1000")
OTHER_ADDRESS = "127.0.0.2"
STATE, INODE, ESTABLISHED = 3, 9, "01"  # in /proc/net/tcp
KEPT = Stall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")


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
def asking_clients(page: RemotePage, path: str) -> Iterator[None]:
    """Hold connections that ask again as soon as they have an answer."""
    request = f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
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
    with stalled_clients(page.server_url, stall, CLIENTS, source=OTHER_ADDRESS) as clients:
        thread = Thread(target=ask_again)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


def count_connections(process: int) -> int:
    """Count those that it has accepted and that clients keep open."""
    own = set()
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            own.add(str(descriptor.readlink()))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[STATE] == ESTABLISHED and f"socket:[{row[INODE]}]" in own for row in rows)


@contextmanager
def paused(process: int) -> Iterator[None]:
    """Let a process stand still: the signal alone may take effect a little later."""
    os.kill(process, signal.SIGSTOP)
    status = Path(f"/proc/{process}/status")
    wait_for(lambda: "State:\tT" in status.read_text())
    yield
    os.kill(process, signal.SIGCONT)


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/embed/tracking/nobody"])
def test_others_are_served_while_one_address_asks_without_end_on_all_connections(path, page):
    with asking_clients(page, path):
        assert_served(page)


@pytest.mark.parametrize(
    "kind",
    [
        "that send nothing",
        "in the head",
        "in a large form",
        "that do not hang up",
        "that never read",
    ],
)
def test_others_are_served_while_one_address_stalls_on_all_connections(kind, large_page, page):
    stall = list_stalls(large_page)[kind]
    with stalled_clients(page.server_url, stall, CLIENTS, source=OTHER_ADDRESS):
        assert_served(page)


@pytest.mark.parametrize("sent", [b"", b"G"])
def test_connections_without_a_request_make_room_for_one_from_the_same_address(sent, page):
    with stalled_clients(page.server_url, Stall(sent), CLIENTS):
        assert_served(page)


def test_connections_that_are_kept_make_room_for_those_from_the_same_address(page):
    with stalled_clients(page.server_url, KEPT, CLIENTS) as clients:
        for client in clients:
            with suppress(ConnectionResetError):  # it lost its place before it had sent all
                client.recv(1)
        assert_served(page)


def test_request_that_has_arrived_without_a_place_is_refused_before_the_connection_ends(environ):
    """The process stands still until the oldest of those without a place has to leave."""
    options = ("--worker-class=tests.support.limited_workers.StuckWorker", "--worker-connections=2")
    with run_gunicorn(environ, *options) as server, ExitStack() as opened:

        def connect() -> HTTPConnection:
            client = HTTPConnection("127.0.0.1", server.port, TIMEOUT_S)
            client.connect()
            return opened.enter_context(closing(client))

        (worker,) = server.wait_for_workers(1)
        for _ in range(2):
            connect().request("GET", "/")
        wait_for(lambda: count_connections(worker) == 2)
        oldest, *_ = [connect() for _ in range(EXTRA - 1)]
        wait_for(lambda: count_connections(worker) == 2 + EXTRA - 1)
        with paused(worker):
            connect()
            oldest.request("GET", "/")

        assert oldest.getresponse().status == 503


def test_request_that_has_arrived_on_an_idle_connection_is_answered(environ):
    """The process stands still until a newcomer needs the places of two that then ask again."""
    options = (*PATIENT, "--threads=1", "--worker-connections=2")
    with run_gunicorn(environ, *options) as server, ExitStack() as opened:
        clients = [
            opened.enter_context(closing(HTTPConnection("127.0.0.1", server.port, TIMEOUT_S)))
            for _ in range(3)
        ]
        *kept, newcomer = clients
        for client in kept:
            client.request("GET", "/healthz")
            assert client.getresponse().read() == b"yes\n"
        (worker,) = server.wait_for_workers(1)
        with paused(worker):
            for client in (newcomer, *kept):
                client.request("GET", "/healthz")

        assert [client.getresponse().read() for client in clients] == [b"yes\n"] * 3
        assert all(client.sock is not None for client in kept)


def test_request_whose_rest_has_arrived_is_answered(environ):
    """The process stands still until a newcomer needs a place of two that then send their body."""
    head = b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
    options = (*PATIENT, "--threads=1", "--worker-connections=2")
    with run_gunicorn(environ, *options) as server, ExitStack() as opened:

        def connect() -> socket.socket:
            client = socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S)
            return opened.enter_context(client)

        sending = [connect(), connect()]
        for client in sending:
            client.sendall(head + b"Expect: 100-continue\r\n\r\n")
            assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        (worker,) = server.wait_for_workers(1)
        with paused(worker):
            newcomer = connect()
            newcomer.sendall(head + b"\r\na")
            for client in sending:
                client.sendall(b"a")

        for client in (newcomer, *sending):
            assert client.recv(100).startswith(b"HTTP/1.1 405 "), client
