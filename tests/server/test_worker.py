"""An app that fails, takes long or has faulty hooks, and what its client gets."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config

from embed.server.connection import Connection
from embed.server.worker import BufferingWorker

ANSWER = ("200 OK", [("Content-Length", "4")])


class Exchange:
    """One request of a client, for a worker that runs no loop."""

    def __init__(self, accepted: socket.socket, client: socket.socket) -> None:
        self._accepted, self._client = accepted, client
        self.config = Config()
        self.logged: list[str] = []
        self._log = SimpleNamespace(exception=self.logged.append, debug=print, access=print)

    def handle(self, app: Callable[..., Any]) -> bool:
        """Let an app answer it; return whether the connection is kept."""
        worker = BufferingWorker(0, 0, [], None, 30, self.config, self._log)
        worker.wsgi = app
        worker._loop = SimpleNamespace(has_place=lambda _connection: True)
        connection = Connection(self._accepted, "", "", worker)
        self._client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        connection.begin_request()
        connection.receive()
        assert connection.find_request()
        is_kept = worker.handle(connection)
        connection.flush()
        worker.tmp.close()
        return is_kept

    def receive(self) -> bytes:
        return self._client.recv(65536, socket.MSG_DONTWAIT)


@pytest.fixture
def exchange() -> Iterator[Exchange]:
    accepted, client = socket.socketpair()
    with closing(accepted), client:
        yield Exchange(accepted, client)


def answer(_environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response(*ANSWER)
    return [b"done"]


def test_what_an_app_has_made_is_sent_before_it_makes_the_rest(exchange):
    received = []

    def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
        start_response(*ANSWER)
        for piece in (b"do", b"ne"):
            yield piece
            received.append(exchange.receive())

    assert exchange.handle(app)
    assert received[0].startswith(b"HTTP/1.1 200 OK\r\n")
    assert received[0].endswith(b"\r\n\r\ndo")
    assert received[1:] == [b"ne"]


# The second is the app's own: a server that it asks is away.
@pytest.mark.parametrize(
    "error", [ValueError, ConnectionRefusedError, SystemExit, asyncio.CancelledError]
)
def test_app_that_fails_is_logged_and_answered_for_whatever_it_raises(exchange, error):
    def app(*_arguments: Any) -> None:
        raise error

    assert not exchange.handle(app)
    assert exchange.receive().startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert exchange.logged == ["A request failed outside the app."]


@pytest.mark.parametrize("error", [ValueError, SystemExit, asyncio.CancelledError])
def test_answer_in_the_middle_of_which_the_app_fails_is_cut_off_and_not_followed(exchange, error):
    def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
        start_response(*ANSWER)
        yield b"do"
        raise error

    assert not exchange.handle(app)
    assert exchange.receive().endswith(b"\r\n\r\ndo")
    assert exchange.logged == ["An answer was not finished."]


def test_answer_is_the_only_one_if_the_hook_after_it_fails(exchange):
    exchange.config.set("post_request", lambda worker, request, environ, response: 1 / 0)

    assert exchange.handle(answer)
    assert exchange.receive().endswith(b"\r\n\r\ndone")
    assert exchange.logged == ["The hook post_request failed."]


def test_request_is_refused_if_the_hook_before_it_fails(exchange):
    exchange.config.set("pre_request", lambda worker, request: 1 / 0)

    assert not exchange.handle(answer)
    assert exchange.receive().startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
