"""Requests are whole with their last byte, and clients have a limited time."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import LimitRequestHeaders, ParseException
from support.servers import PROJECT_DIR
from test_docs import read_rows

from embed.server import connection, worker
from embed.server.connection import (
    BYTES_PER_S,
    MAX_BODY_BYTES,
    MAX_BYTES_IN_MEMORY,
    MAX_HEAD_BYTES,
    BodyTooLarge,
    Connection,
    IncompleteBody,
)

POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
NEXT = b"GET /next HTTP/1.1\r\n"
PATIENCE_S = 10.0

WHOLE = {
    "no_body": (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b""),
    "empty_line_first": (b"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", b""),
    "body": (POST + b"Content-Length: 4\r\n\r\n{\r\n}", b"{\r\n}"),
    "body_like_a_head": (POST + b"Content-Length: 8\r\n\r\nA: b\r\n\r\n", b"A: b\r\n\r\n"),
    "any_case": (POST + b"CONTENT-length:\t03 \r\n\r\n{ }", b"{ }"),
}
WHOLE_IN_CHUNKS = {
    "chunks": (CHUNKED + b"1\r\n{\r\n0002;a=b\r\n\r\n\r\n1 ;a\r\n}\r\n0\r\n\r\n", b"{\r\n}"),
    "chunk_like_an_end": (CHUNKED + b"7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", b"\r\n0\r\n\r\n"),
    "no_chunk": (CHUNKED + b"0\r\n\r\n", b""),
    "trailers": (CHUNKED + b"1\r\na\r\n0\r\nA: b\r\nC: d\r\n\r\n", b"a"),
}
MALFORMED = {
    "size_is_no_number": CHUNKED + b"zz\r\n",
    "space_after_size": CHUNKED + b"1 \r\na\r\n0\r\n\r\n",
    "no_line_end_after_data": CHUNKED + b"1\r\naXX0\r\n\r\n",
    "trailer_that_frames": CHUNKED + b"0\r\nContent-Length: 1\r\n\r\n",
    "request_line": b"NEITHER-METHOD-NOR-PATH\r\n\r\n",
    "length_is_negative": POST + b"Content-Length: -1\r\n\r\n",
    "length_and_chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
    "other_expectation": POST + b"Expect: cake\r\nContent-Length: 3\r\n\r\n",
}
LONG_HEADS = {
    "head": b"GET /" + b"a" * MAX_HEAD_BYTES,
    "lines": b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1_000 + b"\r\n",
}
LONG_BODIES = {
    "length": POST + b"Content-Length: %d\r\n\r\n" % (MAX_BODY_BYTES + 1),
    "chunks": CHUNKED + b"1\r\na\r\n" * (MAX_BYTES_IN_MEMORY // 6 + 1),
    "chunk_size_without_end": CHUNKED + b"1" * (MAX_BYTES_IN_MEMORY + 1),
    "trailers": CHUNKED + b"0\r\n" + b"A: b\r\n" * (MAX_BYTES_IN_MEMORY // 6 + 1),
}


class Arrival:
    """The service's end of a connection, for which the test says what arrives."""

    def __init__(self, accepted: socket.socket) -> None:
        self.conn = Connection(accepted, ("127.0.0.1", 4711), "")
        self.conn.set_deadline(PATIENCE_S)
        self._config = Config()

    def add(self, data: bytes) -> bool:
        """Return whether the request is whole."""
        self.conn.received += data
        if self.conn.request is not None or self.conn.take_head(self._config):
            self.conn.take_body()
        return self.conn.is_whole

    def end(self) -> None:
        """Let the client close its side."""
        self.client.shutdown(socket.SHUT_WR)
        self.conn.receive()
        self.conn.take_body()

    def read_body(self) -> bytes:
        return self.conn.request.body.read()


@pytest.fixture
def begin() -> Iterator[Callable[[], Arrival]]:
    with ExitStack() as opened:

        def begin() -> Arrival:
            accepted, client = map(opened.enter_context, socket.socketpair())
            arrival = Arrival(accepted)
            arrival.client = client
            opened.callback(arrival.conn.close)
            return arrival

        yield begin


def by_name(cases: dict[str, object]):
    return pytest.mark.parametrize("case", cases.values(), ids=cases.keys())


@by_name(WHOLE | WHOLE_IN_CHUNKS)
def test_request_is_whole_with_its_last_byte(case, begin):
    request, body = case
    arrival = begin()
    whole = [arrival.add(bytes([byte])) for byte in request]

    assert whole == [False] * (len(request) - 1) + [True]
    assert arrival.read_body() == body


@by_name(WHOLE)
def test_next_request_begins_where_the_one_before_ended(case, begin):
    request, body = case
    arrival = begin()
    for _ in range(2):
        assert arrival.add(request + NEXT)
        assert arrival.read_body() == body
        assert not arrival.conn.request.should_close()
        assert arrival.conn.received == NEXT
        arrival.conn.received.clear()
        arrival.conn.begin_request()


@by_name(WHOLE_IN_CHUNKS)
def test_body_in_chunks_comes_with_its_length_and_is_the_last_of_its_connection(case, begin):
    request, body = case
    arrival = begin()

    assert arrival.add(request + NEXT)
    assert arrival.read_body() == body
    assert arrival.conn.request.should_close()
    names = dict(arrival.conn.request.headers)
    assert names["CONTENT-LENGTH"] == str(len(body))
    assert "TRANSFER-ENCODING" not in names


@by_name(MALFORMED)
def test_malformed_request_is_refused_at_once(case, begin):
    with pytest.raises(ParseException):
        begin().add(case)


@by_name(WHOLE_IN_CHUNKS | {"length": WHOLE["body"]})
def test_body_whose_end_cannot_come_any_more_is_incomplete(case, begin):
    request, _ = case
    for end in range(request.index(b"\r\n\r\n", 2) + 4, len(request)):
        arrival = begin()
        assert not arrival.add(request[:end])
        with pytest.raises(IncompleteBody):
            arrival.end()


@by_name(LONG_HEADS)
def test_head_that_is_too_long_is_called_so(case, begin):
    with pytest.raises(LimitRequestHeaders):
        begin().add(case)


@by_name(LONG_BODIES)
def test_body_that_is_too_long_is_called_so_at_once(case, begin):
    with pytest.raises(BodyTooLarge):
        begin().add(case)


def test_large_body_is_on_disk_while_it_arrives(begin):
    arrival = begin()
    body = bytes(range(256)) * 1024
    arrival.add(POST + b"Content-Length: %d\r\n\r\n" % len(body))
    for at in range(0, len(body), 10_000):
        assert arrival.add(body[at : at + 10_000]) is (at + 10_000 >= len(body))
        assert not arrival.conn.received

    assert arrival.conn.request.body.fileno() >= 0
    assert arrival.read_body() == body


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """The ``time`` module of connections, with a clock that only the test moves."""
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(connection, "time", clock)
    return clock


def test_bytes_that_arrive_at_once_buy_no_time_for_later(clock, begin):
    arrival = begin()
    arrival.client.sendall(b"x" * 60_000)

    arrival.conn.receive()
    assert arrival.conn.received
    assert arrival.conn.deadline == PATIENCE_S


def test_client_that_trickles_gets_hardly_more_time(clock, begin):
    arrival = begin()
    for clock.now in range(9):
        arrival.client.sendall(b"x")
        arrival.conn.receive()

    assert arrival.conn.deadline < PATIENCE_S + 0.1


def test_client_that_keeps_the_rate_gets_as_long_as_it_needs(clock, begin):
    arrival = begin()
    for clock.now in range(1, 100):
        arrival.client.sendall(b"x" * BYTES_PER_S)
        arrival.conn.receive()
        assert arrival.conn.deadline >= clock.now + PATIENCE_S - 1


def test_answer_is_sent_as_the_client_takes_it_and_no_faster(clock, begin):
    arrival = begin()
    answer = bytes(range(256)) * 20_000
    arrival.conn.sock.sendall(b"head")
    arrival.conn.sock.sendall(answer)
    received = bytearray()
    while not arrival.conn.flush():
        received += arrival.client.recv(100_000)
    while len(received) < len(answer) + 4:
        received += arrival.client.recv(100_000)

    assert received == b"head" + answer
    assert arrival.conn.deadline == PATIENCE_S


def test_documented_limits_are_those_of_the_server():
    text = (PROJECT_DIR / "docs/limits.md").read_text()
    limits = {what: limit for what, limit, _ in read_rows(text, "what", "limit", "beyond it")}

    rate = BYTES_PER_S >> 10
    assert limits["time to send a request"].startswith(
        f"{worker.BufferingWorker.patience_s:.0f} seconds, or longer while {rate} KiB a second"
    )
    assert limits["all headers"] == f"{MAX_HEAD_BYTES >> 10} KiB"
    assert limits["body"] == (
        f"{MAX_BODY_BYTES >> 20} MiB; {MAX_BYTES_IN_MEMORY >> 10} KiB in chunks"
    )
    assert (
        limits[f"bodies of more than {MAX_BYTES_IN_MEMORY >> 10} KiB"]
        == f"{worker.MAX_LARGE_BODIES} at a time"
    )
