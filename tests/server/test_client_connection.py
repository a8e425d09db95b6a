"""How long a client may take, and what is kept of what it sends and does not read."""

import socket
from contextlib import closing
from types import SimpleNamespace

import pytest
from gunicorn.config import Config

from embed.server import connection
from embed.server.connection import Connection

PATIENCE_S = 10.0
BYTES_PER_S = 1000


class Time:
    """The ``time`` module with a clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch) -> Time:
    time = Time()
    monkeypatch.setattr(connection, "time", time)
    return time


@pytest.fixture
def ends(time):
    """The service's end of a connection that expects a request, and the client's."""
    accepted, client = socket.socketpair()
    worker = SimpleNamespace(
        cfg=Config(), patience_s=PATIENCE_S, bytes_per_s=BYTES_PER_S, is_signed_in=bool
    )
    with closing(accepted), client:
        ours = Connection(accepted, "", "", worker)
        ours.begin_request()
        yield ours, client


def test_bytes_that_arrive_at_once_buy_no_time_for_later(ends):
    ours, client = ends
    client.sendall(b"x" * 60_000)
    ours.receive()

    assert ours.received_bytes == 60_000
    assert ours.deadline == PATIENCE_S


def test_client_that_trickles_gets_hardly_more_time(ends, time):
    ours, client = ends
    for second in range(9):
        time.now = float(second)
        client.sendall(b"x")
        ours.receive()

    assert ours.deadline < PATIENCE_S + 0.1


def test_client_that_keeps_the_rate_gets_as_long_as_it_needs(ends, time):
    ours, client = ends
    for second in range(1, 100):
        time.now = float(second)
        client.sendall(b"x" * BYTES_PER_S)
        ours.receive()
        assert ours.deadline >= time.now + PATIENCE_S - 1


def test_reader_that_took_much_at_once_gets_no_more_time_for_the_rest(ends, time):
    ours, client = ends
    ours.sendall(b"x" * 5_000_000)
    ours.flush()
    taken = 0
    while taken < 100_000:
        taken += len(client.recv(100_000))
    time.now = 1.0
    ours.flush()

    assert ours.unsent_bytes == 5_000_000  # none of it is freed before all of it is sent
    assert ours.deadline <= 1.0 + PATIENCE_S


def test_client_that_goes_on_sending_what_nobody_reads_buys_no_time_either(ends):
    ours, client = ends
    client.sendall(b"x" * 60_000)

    assert ours.discard()
    assert ours.received_bytes == 0
    assert ours.deadline == PATIENCE_S


def test_large_body_is_read_as_it_was_sent_and_the_next_request_is_left_for_later(ends):
    ours, client = ends
    body = bytes(range(256)) * 300
    head = b"POST / HTTP/1.1\r\nCookie: a=b\r\nContent-Length: %d\r\n\r\n" % len(body)
    client.sendall(head + body + b"GET /next HTTP/1.1\r\n")
    while not ours.find_request():
        assert ours.receive()

    assert ours.received_bytes == len(head + body)
    read = bytearray()
    while len(read) < len(body):
        read += ours.recv(7_000)
    assert read == body
    assert ours.recv(7_000) == b""
    ours.begin_request()
    assert ours.received_bytes == 0
    assert ours.receive()
    assert ours.received == b"GET /next HTTP/1.1\r\n"


def test_large_body_that_is_not_awaited_any_more_takes_no_memory(ends):
    ours, client = ends
    head = b"POST / HTTP/1.1\r\nCookie: a=b\r\nContent-Length: 90000\r\n\r\n"
    client.sendall(head + b"x" * 80_000)
    while ours.received_bytes < 80_000:
        assert ours.receive()
        assert not ours.find_request()
    ours.forget_request()

    assert ours.received_bytes == len(head)  # which the parser keeps
