"""Clients that open connections and then stall, in one way each."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Thread
from urllib.parse import urlsplit

import requests
from peewee import chunked
from support.remote import RemotePage
from support.world import SITE

from embed.db import connection
from embed.db.models import Wallet
from embed.domain import times
from embed.domain.identifiers import make_id

STALLED = 20
# A client that is served needs a fraction of this; gunicorn's own worker let it wait for longer.
SERVED_WITHIN_S = 30
ENDED_WITHIN_S = 30
# Its list takes more bytes than the system keeps for a client with a small window that does not
# read, and fewer than for one with the usual window.
WALLETS = 25_000


@dataclass(frozen=True)
class Stall:
    """What a client sends, byte after byte if it trickles, before it only waits."""

    sent: bytes
    answer: bytes = b"HTTP/1.1 408 Request Timeout"  # its first line
    trickle: bytes = b""
    has_small_window: bool = False


def list_stalls(page: RemotePage) -> dict[str, Stall]:
    host = urlsplit(page.server_url).netloc.encode()
    read = b"GET /api/embed/tracking/%b HTTP/1.1\r\nHost: %b\r\nAuthorization: Bearer %b\r\n" % (
        page.page_id.encode(),
        host,
        page.make_key("--tier", "secret")["key"].encode(),
    )
    post = b"POST %b HTTP/1.1\r\nHost: " + host + b"\r\nContent-Type: %b\r\n%b\r\n\r\n%b"
    nonce = (b"/api/embed/siws/nonce", b"application/json")
    form = (b"/dashboard/sign-in", b"application/x-www-form-urlencoded")
    large = b"Content-Length: 4000000"
    length, chunks = b"Content-Length: 1000", b"Transfer-Encoding: chunked"
    return {
        "that send nothing": Stall(b"", answer=b""),
        "in the head": Stall(read + b"X-Header: a"),
        "before a body": Stall(post % (*nonce, length, b"")),
        "in a body": Stall(post % (*nonce, length, b'{"trackingPageId": "')),
        "in a large form": Stall(post % (*form, large, b"x" * 100_000)),
        "in a chunk": Stall(post % (*nonce, chunks, b'100\r\n{"a": "')),
        "in trailers": Stall(post % (*nonce, chunks, b"2\r\n{}\r\n0\r\nA: b\r\n")),
        "in a TLS greeting": Stall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        "that trickle a head": Stall(b"", trickle=read + b"X-Header: " + b"a" * 1000),
        "that trickle a body": Stall(post % (*nonce, length, b""), trickle=b"a" * 1000),
        "that await 100 Continue": Stall(
            post % (*nonce, length + b"\r\nExpect: 100-continue", b""),
            answer=b"HTTP/1.1 100 Continue",
        ),
        "that ask for nothing more": Stall(read + b"\r\n", answer=b"HTTP/1.1 200 OK"),
        "that do not hang up": Stall(
            read + b"Connection: close\r\n\r\n", answer=b"HTTP/1.1 200 OK"
        ),
        "that never read": Stall(read + b"\r\n", has_small_window=True),
    }


def add_wallets(database_url: str, page_id: str) -> None:
    connection.open_database(database_url)
    names = [f"{make_id()}{make_id()}" for _ in range(WALLETS)]
    rows = [
        {"id": make_id(), "created_at": times.now(), "page": page_id, "address": name}
        for name in names
    ]
    with connection.db.atomic():
        for some in chunked(rows, 1000):
            Wallet.insert_many(some).execute()
    connection.db.close()


@contextmanager
def stalled_clients(url: str, stall: Stall, count: int = STALLED) -> Iterator[list[socket.socket]]:
    """Hold `count` connections to a server that stall."""
    address = urlsplit(url)
    with ExitStack() as opened:
        clients = []
        for _ in range(count):
            client = opened.enter_context(socket.socket())
            if stall.has_small_window:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((address.hostname, address.port))
            client.sendall(stall.sent)
            clients.append(client)
        is_over = Event()
        opened.callback(is_over.set)
        if stall.trickle:
            Thread(target=_trickle, args=(clients, stall.trickle, is_over), daemon=True).start()
        yield clients


def _trickle(clients: list[socket.socket], data: bytes, is_over: Event) -> None:
    open_clients = list(clients)
    for byte in data:
        for client in list(open_clients):
            try:
                client.sendall(bytes([byte]))
            except OSError:
                open_clients.remove(client)
        if is_over.wait(1):
            return


def assert_served(page: RemotePage, times: int = 8) -> None:
    """Read a page as a client that gives up after SERVED_WITHIN_S."""
    url = f"{page.server_url}/api/embed/tracking/{page.page_id}"
    headers = {"Authorization": f"Bearer {page.public_key}", "Origin": SITE}
    for _ in range(times):
        assert requests.get(url, headers=headers, timeout=SERVED_WITHIN_S).status_code == 200


def wait_until_ended(clients: list[socket.socket], stall: Stall) -> set[bytes]:
    """Return the first lines of the answers they got until the server closed the connections."""
    deadline = time.monotonic() + ENDED_WITHIN_S
    answers = set()
    for client in clients:
        client.settimeout(max(deadline - time.monotonic(), 0.001))
        if not stall.has_small_window:
            answers.add(_read_to_the_end(client).partition(b"\r\n")[0])
    while clients := [client for client in clients if _is_connected(client)]:
        assert time.monotonic() < deadline, "the server keeps stalled connections open"
        time.sleep(0.05)
    return answers


def _read_to_the_end(client: socket.socket) -> bytes:
    answer = bytearray()
    with suppress(ConnectionResetError):
        while arrived := client.recv(65536):
            answer += arrived
    return bytes(answer)


def _is_connected(client: socket.socket) -> bool:
    """Send a byte, which fails when nobody has the connection open any more."""
    try:
        client.sendall(b"x")
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True
