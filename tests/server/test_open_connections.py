"""Connections that wait in the worker's loop, several of which are ready at once."""

import errno
import gc
import selectors
import socket
from contextlib import ExitStack
from types import SimpleNamespace
from weakref import ref

import pytest
from gunicorn.config import Config

from embed.server.connection import Connection
from embed.server.connections import Connections
from embed.server.loop import Loop

READ = selectors.EVENT_READ
WORKER = SimpleNamespace(
    cfg=Config(),
    patience_s=10.0,
    bytes_per_s=1000,
    is_signed_in=bool,
    small_bytes=10,
    large_bytes_in_all=0,
)


@pytest.fixture
def loop():
    """Connections, which were closed, and a way to open one whose client is ready."""
    closed = []
    connections = Connections(on_close=closed.append)
    with ExitStack() as opened:

        def connect() -> Connection:
            accepted, client = map(opened.enter_context, socket.socketpair())
            client.sendall(b"x")
            conn = Connection(accepted, "", "", WORKER)
            connections.add(conn)
            return conn

        yield SimpleNamespace(connections=connections, closed=closed, connect=connect)


@pytest.mark.parametrize("waits_already", [False, True])
def test_connection_for_which_the_system_has_no_room_is_closed(loop, monkeypatch, waits_already):
    def refuse(*_arguments) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    conn = loop.connect()
    close = loop.connections.close
    if waits_already:
        loop.connections.wait(conn, selectors.EVENT_WRITE, close)
    monkeypatch.setattr(loop.connections.poller, "register", refuse)
    loop.connections.take(lambda conn: loop.connections.wait(conn, READ, close), conn)

    assert loop.closed == [conn]
    assert len(loop.connections) == 0


def test_connection_that_another_one_has_ended_takes_no_step_and_is_closed_once(loop):
    conns = [loop.connect(), loop.connect()]
    other = dict(zip(conns, reversed(conns), strict=True))
    stepped = []

    def end_the_other(conn) -> None:
        stepped.append(conn)
        loop.connections.close(other[conn])

    for conn in conns:
        loop.connections.wait(conn, READ, end_the_other)
    loop.connections.poll(may_sleep=True)

    assert len(stepped) == 1
    assert loop.closed == [other[stepped[0]]]


def test_client_that_sends_more_while_its_request_is_handled_does_not_keep_the_loop_busy(loop):
    conn = loop.connect()
    loop.connections.wait(conn, READ, loop.connections.close)
    conn.step = None
    loop.connections.poll(may_sleep=True)

    assert loop.connections.poller.select(0) == []
    loop.connections.wait(conn, READ, loop.connections.close)
    loop.connections.poll(may_sleep=True)
    assert loop.closed == [conn]


def test_connection_that_is_closed_is_freed_with_its_request(loop):
    """Without the help of Python's collector of cycles, which may run much later."""
    gc.disable()
    try:
        conn = loop.connect()
        conn.begin_request()
        conn.received += b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"
        conn.find_request()
        freed = ref(conn)
        loop.connections.close(conn)
        loop.closed.clear()
        del conn

        assert freed() is None
    finally:
        gc.enable()


def test_requests_that_wait_get_as_much_time_as_was_taken_to_receive(monkeypatch):
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    polls = []

    def poll(*, may_sleep: bool) -> float:
        polls.append((clock.now, may_sleep))
        return 2.0

    loop = Loop(SimpleNamespace(**vars(WORKER), sockets=[]))
    monkeypatch.setattr("embed.server.loop.time", clock)
    monkeypatch.setattr(loop._connections, "poll", poll)
    loop.turn()
    for _ in range(6):
        conn = Hashable(request=SimpleNamespace(path="/"))
        conn.queue = loop._queues.find(conn)
        conn.queue.waiting.append(conn)
    for clock.now in (0.0, 1.0, 1.9, 2.0):
        conn = loop.turn()
        conn.queue.handled.remove(conn)

    assert polls == [(0.0, True), (2.0, False)]


def test_poll_returns_when_another_thread_wakes_it_however_often(loop):
    for _ in range(100_000):
        loop.connections.wake()
    loop.connections.poll(may_sleep=True)


def test_requests_in_threads_count_and_the_slowest_of_the_others_is_ended():
    ended = []

    def find(most_bytes: int, *others: SimpleNamespace) -> bool:
        """Return whether the newcomer goes on."""
        ended.clear()
        worker = SimpleNamespace(**vars(WORKER) | {"large_bytes_in_all": most_bytes})
        loop = Loop(worker)
        newcomer = make(11, deadline=4.0)
        for conn in (newcomer, *others):
            loop._connections.add(conn)
        return loop._limit_memory(newcomer, lambda conn: conn.bytes, ended.append)

    def make(size: int, deadline: float, queue: object = None) -> SimpleNamespace:
        return Hashable(bytes=size, deadline=deadline, queue=queue)

    handled = make(50, 1.0, "requests")
    slow, fast = make(11, 2.0), make(11, 3.0)

    assert find(61, handled)
    assert not find(60, handled)
    assert find(83, handled, slow, fast)
    assert (find(82, handled, slow, fast), ended) == (True, [slow])
    slow.bytes = 10
    assert (find(72, handled, slow, fast), ended) == (True, [])
    assert (find(71, handled, slow, fast), ended) == (True, [fast])


class Hashable(SimpleNamespace):
    __hash__ = object.__hash__
