"""Connections that wait in the worker's loop, several of which are ready at once."""

import errno
import selectors
import socket
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from embed.server.waiting import WaitingConnections


@pytest.fixture
def loop():
    """A poller, what waits in it, what was closed, and a way to make connections that are ready."""
    closed = []
    with selectors.DefaultSelector() as poller, ExitStack() as opened:

        def close(conn) -> None:
            waiting.remove(conn)
            closed.append(conn)
            conn.sock.close()

        def connect() -> Connection:
            accepted, client = map(opened.enter_context, socket.socketpair())
            client.sendall(b"x")
            return Connection(accepted)

        waiting = WaitingConnections(poller, close)
        yield SimpleNamespace(
            poller=poller, waiting=waiting, close=close, closed=closed, connect=connect
        )


class Connection:
    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock


def turn(poller: selectors.BaseSelector) -> None:
    """Do what gunicorn's loop does with all that is ready at the same time."""
    events = poller.select(0)
    assert len(events) == 2
    for key, _ in events:
        key.data(key.fileobj)


def test_connection_for_which_the_system_has_no_room_is_closed(loop, monkeypatch):
    def refuse(*_arguments) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    conn = loop.connect()
    monkeypatch.setattr(loop.poller, "register", refuse)
    loop.waiting.take(
        lambda conn: loop.waiting.add(conn, selectors.EVENT_READ, loop.close, loop.close), conn
    )

    assert loop.closed == [conn]


def test_connection_that_another_one_has_ended_takes_no_step_and_is_closed_once(loop):
    """Each would count as two, and the worker would end before it has answered all others."""
    conns = [loop.connect(), loop.connect()]
    other = dict(zip(conns, reversed(conns), strict=True))

    def end_the_other(conn) -> None:
        conn.sock.recv(1)
        loop.close(other[conn])

    for conn in conns:
        loop.waiting.add(conn, selectors.EVENT_READ, end_the_other, loop.close)
    turn(loop.poller)

    assert len(loop.closed) == 1


def test_connection_that_another_one_lets_wait_for_something_else_takes_no_step_before(loop):
    conns = [loop.connect(), loop.connect()]
    other = dict(zip(conns, reversed(conns), strict=True))
    stepped = []

    def refuse_the_other(conn) -> None:
        stepped.append(conn)
        loop.waiting.remove(other[conn])
        loop.waiting.add(other[conn], selectors.EVENT_READ, loop.close, loop.close)

    for conn in conns:
        loop.waiting.add(conn, selectors.EVENT_READ, refuse_the_other, loop.close)
    turn(loop.poller)

    assert (len(stepped), loop.closed) == (1, [])


def test_requests_in_threads_count_and_the_slowest_of_the_others_is_one_too_many(loop):
    handled, slow, fast, newcomer = (loop.connect() for _ in range(4))
    for conn, deadline in ((handled, 1.0), (slow, 2.0), (fast, 3.0), (newcomer, 4.0)):
        conn.sock = SimpleNamespace(fileno=conn.sock.fileno, deadline=deadline)
    sizes = {handled: 50, slow: 11, fast: 11, newcomer: 11}

    def find(most_bytes: int):
        return loop.waiting.find_one_too_many(
            newcomer, {handled}, sizes.get, small_bytes=10, most_bytes=most_bytes
        )

    assert find(61) is None
    assert find(60) is newcomer
    for conn in (slow, fast):
        loop.waiting.add(conn, selectors.EVENT_READ, loop.close, loop.close)
    assert find(83) is None
    assert find(82) is slow
    sizes[slow] = 10
    assert find(72) is None
    assert find(71) is fast
