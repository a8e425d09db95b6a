"""What the loop does with a head that is malformed: others are served, and little of it stays."""

import socket
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace

import pytest
from gunicorn.config import Config

from embed.server.connection import Connection
from embed.server.loop import Loop
from embed.server.worker import BufferingWorker

LONG = b"A: " + b"b" * 8_000 + b"\r\n"
MALFORMED = {
    "no_request": (b"no request\r\n" + LONG * 7 + b"\r\n", b"400"),
    "many_lines": (b"GET / HTTP/1.1\r\n" + b"A:b\r\n" * 12_000 + b"\r\n", b"431"),
    "length": (b"GET / HTTP/1.1\r\n" + LONG * 7 + b"Content-Length: \xb2\r\n\r\n", b"400"),
    # gunicorn's parser raises ValueError.
    "proxy": (b"PROXY TCP4 192.0.2.1\0 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\n\r\n", b"500"),
}


@pytest.fixture
def loop() -> Iterator[Loop]:
    config = Config()
    config.set("proxy_protocol", "v1")
    log = SimpleNamespace(warning=print, exception=print)
    worker = BufferingWorker(0, 0, [], None, 30, config, log)
    yield Loop(worker)
    worker.tmp.close()


@pytest.mark.parametrize(("head", "status"), MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_head_is_refused_at_once_and_kept_no_longer(head, status, loop):
    accepted, client = socket.socketpair()
    with closing(accepted), client:
        conn = Connection(accepted, ("127.0.0.1", 4711), "", loop._worker)
        loop._connections.add(conn)
        client.sendall(head)
        tracemalloc.start()
        loop._connections.take(loop._begin_request, conn)
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()

        assert kept < 50_000
        assert client.recv(12, socket.MSG_DONTWAIT) == b"HTTP/1.1 " + status
        client.close()
        loop._connections.poll(may_sleep=True)
        assert loop.is_empty
