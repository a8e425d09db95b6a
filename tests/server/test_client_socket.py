"""How long a client may take: what it does postpones its deadline, by a bounded time."""

import socket

import pytest

from embed.server import client_socket
from embed.server.client_socket import ClientSocket

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
    monkeypatch.setattr(client_socket, "time", time)
    return time


@pytest.fixture
def ends(time):
    """The service's end of a connection that expects a request, and the client's."""
    accepted, client = socket.socketpair()
    with ClientSocket(accepted, PATIENCE_S, BYTES_PER_S) as ours, client:
        ours.begin_request(b"")
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
    taken = 0
    while taken < 100_000:
        taken += len(client.recv(100_000))
    time.now = 1.0
    ours.flush()

    assert 0 < ours.unsent_bytes < 5_000_000
    assert ours.deadline <= 1.0 + PATIENCE_S


def test_client_that_goes_on_sending_what_nobody_reads_buys_no_time_either(ends):
    ours, client = ends
    client.sendall(b"x" * 60_000)

    assert ours.discard()
    assert ours.received_bytes == 0
    assert ours.deadline == PATIENCE_S
