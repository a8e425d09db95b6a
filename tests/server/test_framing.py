"""Requests are passed on when they are whole, or will never be."""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData, ParseException
from support.servers import PROJECT_DIR
from test_docs import read_rows

from embed.server.connection import Connection
from embed.server.framing import (
    MAX_CHUNKS_BYTES,
    MAX_HEAD_BYTES,
    MAX_HEAD_LINES,
    MAX_LARGE_BODY_BYTES,
    MAX_SIGNED_OUT_BYTES,
)

POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
OWNERS = "a=b; session=owners"
SIGNED_IN = POST + b"Cookie: " + OWNERS.encode() + b"\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"

WHOLE = {
    "no_body": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "empty_line_first": b"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "proxy_header": b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\x7f\0\0\1\x7f\0\0\1\x30\x39\x1f\x40"
    + b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "empty_body": POST + b"Content-Length: 0\r\n\r\n",
    "body": POST + b"Content-Length: 4\r\n\r\n{\r\n}",
    "body_like_a_head": POST + b"Content-Length: 8\r\n\r\nA: b\r\n\r\n",
    "any_case": POST + b"CONTENT-length:\t3 \r\n\r\n{ }",
    "chunks": CHUNKED + b"1\r\n{\r\n0002;a=b\r\n\r\n\r\n1 ;a\r\n}\r\n0\r\n\r\n",
    "chunk_like_an_end": CHUNKED + b"7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n",
    "no_chunk": CHUNKED + b"0\r\n\r\n",
    "trailers": CHUNKED + b"1\r\na\r\n0\r\nA: b\r\nC: d\r\n\r\n",
}
MALFORMED = {
    "request_line": b"NEITHER-METHOD-NOR-PATH\r\n\r\n",
    "length_is_no_number": POST + b"Content-Length: ten\r\n\r\n",
    "length_is_negative": POST + b"Content-Length: -1\r\n\r\n",
    "length_and_chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
    "two_lengths": POST + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\n",
    "other_expectation": POST + b"Expect: cake\r\nContent-Length: 3\r\n\r\n",
}
MALFORMED_CHUNKS = {
    "size_is_no_number": CHUNKED + b"zz\r\n",
    "size_is_negative": CHUNKED + b"-5\r\n",
    "size_is_missing": CHUNKED + b"\r\n",
    "size_is_huge": CHUNKED + b"f" * 20 + b"\r\n",
    "size_without_end": CHUNKED + b"1" * 10_000,
}
LONG_HEADS = {
    "head": b"GET /" + b"a" * MAX_HEAD_BYTES,
    "head_with_its_end": b"GET / HTTP/1.1\r\n" + b"A:b\r\n" * (MAX_HEAD_BYTES // 5) + b"\r\n",
    "lines": b"GET / HTTP/1.1\r\n" + b"A\r\n" * (MAX_HEAD_LINES + 1) + b"\r\n",
}
LONG_BODIES = {
    "body": SIGNED_IN + b"Content-Length: %d\r\n\r\n" % (MAX_LARGE_BODY_BYTES + 1),
    "body_without_cookie": POST + b"Content-Length: %d\r\n\r\n" % (MAX_SIGNED_OUT_BYTES + 1),
    "body_with_a_cookie": POST
    + b"Cookie: session=made-up\r\nContent-Length: %d\r\n\r\n" % (MAX_SIGNED_OUT_BYTES + 1),
    "chunk": CHUNKED + b"%x\r\n" % MAX_CHUNKS_BYTES,
    "chunks": CHUNKED + b"1\r\na\r\n" * (MAX_CHUNKS_BYTES // 6 + 1),
    "trailers": CHUNKED + b"0\r\n" + b"A: b\r\n" * (MAX_CHUNKS_BYTES // 6 + 1),
}


class Arrival:
    """A connection to which a test gives the bytes that arrive."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    def add(self, data: bytes) -> bool:
        """Return whether there is a request to pass on."""
        self.conn.received += data
        return self.conn.find_request()


@pytest.fixture
def checked() -> list[str]:
    """Return the cookies of which it was asked whether they are an owner's."""
    return []


@pytest.fixture
def begin(checked) -> Iterator[Callable[[], Arrival]]:
    def is_signed_in(cookies: str) -> bool:
        checked.append(cookies)
        return cookies == OWNERS

    config = Config()
    config.set("proxy_protocol", "v2")
    worker = SimpleNamespace(cfg=config, patience_s=10.0, bytes_per_s=1, is_signed_in=is_signed_in)
    accepted, client = socket.socketpair()

    def begin() -> Arrival:
        conn = Connection(accepted, ("127.0.0.1", 4711), "", worker)
        conn.begin_request()
        return Arrival(conn)

    with closing(accepted), client:
        yield begin


def by_name(cases: dict[str, bytes]):
    return pytest.mark.parametrize("request_bytes", cases.values(), ids=cases.keys())


@by_name(WHOLE)
def test_whole_request_is_passed_on_with_its_last_byte(request_bytes, begin):
    arrival = begin()
    passed_on = [arrival.add(bytes([byte])) for byte in request_bytes]

    assert passed_on == [False] * (len(request_bytes) - 1) + [True]
    assert arrival.conn.is_whole


@by_name(WHOLE)
def test_request_that_others_follow_is_whole(request_bytes, begin):
    arrival = begin()

    assert arrival.add(request_bytes + b"GET /next HTTP/1.1\r\n")
    assert arrival.conn.is_whole


@by_name(WHOLE)
def test_next_request_begins_where_the_one_before_ended(request_bytes, begin):
    arrival = begin()
    for _ in range(2):
        arrival.add(request_bytes.removeprefix(WHOLE["proxy_header"][:28]) + b"GET /next")
        assert arrival.conn.parser.finish_body()
        arrival.conn.begin_request()

        assert arrival.conn.received == b"GET /next"
        arrival.conn.received.clear()


@by_name(MALFORMED_CHUNKS | LONG_BODIES)
def test_body_that_is_malformed_or_too_long_is_passed_on_at_once(request_bytes, begin):
    arrival = begin()

    assert arrival.add(request_bytes)
    assert not arrival.conn.is_whole


@by_name(MALFORMED)
def test_head_that_is_malformed_is_refused_at_once(request_bytes, begin):
    with pytest.raises(ParseException):
        begin().add(request_bytes)


@by_name(LONG_HEADS)
def test_head_that_is_too_long_is_called_so(request_bytes, begin):
    with pytest.raises(LimitRequestHeaders):
        begin().add(request_bytes)


def test_head_counts_as_long_as_its_request_is_received(begin):
    arrival = begin()
    head = SIGNED_IN + b"Content-Length: 9\r\n\r\n"
    arrival.add(head + b"body")

    assert arrival.conn.received_bytes == len(head) + 4


@pytest.mark.parametrize("length", [MAX_SIGNED_OUT_BYTES + 1, MAX_LARGE_BODY_BYTES])
def test_long_body_of_a_signed_in_owner_is_waited_for(length, begin):
    arrival = begin()
    head = SIGNED_IN.lower().replace(b"post / http", b"POST / HTTP")

    assert not arrival.add(head + b"content-length: %d\r\n\r\n" % length)
    assert not arrival.conn.framing.can_pass_on(bytearray(4), length - 5)
    assert arrival.conn.framing.large_bytes == length
    assert arrival.conn.framing.can_pass_on(bytearray(4), length - 4)
    assert arrival.conn.is_whole


def test_body_as_long_as_anybody_may_send_is_waited_for(begin):
    arrival = begin()
    head = POST + b"Content-Length: %d\r\n\r\n" % MAX_SIGNED_OUT_BYTES

    assert not arrival.add(head + b"x" * (MAX_SIGNED_OUT_BYTES - 1))
    assert arrival.add(b"x")
    assert arrival.conn.is_whole


def test_body_that_its_client_does_not_finish_is_passed_on(begin):
    arrival = begin()

    assert not arrival.add(POST + b"Content-Length: 9\r\n\r\nbody")
    assert arrival.conn.find_request(is_over=True)
    assert not arrival.conn.is_whole


def test_head_that_its_client_does_not_finish_is_no_request(begin):
    arrival = begin()

    assert not arrival.add(b"GET / HTTP/1.1")
    with pytest.raises(NoMoreData):
        arrival.conn.find_request(is_over=True)


@pytest.mark.parametrize("length", [100, MAX_SIGNED_OUT_BYTES, MAX_LARGE_BODY_BYTES + 1])
def test_session_is_only_checked_where_it_matters(length, begin, checked):
    """Checking takes time in the loop that serves all clients."""
    begin().add(SIGNED_IN + b"Content-Length: %d\r\n\r\n" % length)

    assert not checked


def test_session_is_not_checked_where_the_cookies_are_too_long(begin, checked):
    cookies = b"Cookie: " + b"a=b; " * 2_000 + b"\r\n"

    with pytest.raises(LimitRequestHeaders):
        begin().add(POST + cookies + b"Content-Length: 100000\r\n\r\n")
    assert not checked


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"POST / HTTP/1.1\r\nHost: a\r\nexpect: 100-Continue", True),
        (b"POST / HTTP/1.1\r\nExpect: 100-continue", True),
        (b"POST / HTTP/1.0\r\nExpect: 100-continue", False),
        (b"POST / HTTP/1.1\r\nX-Expect: 100-continue", False),
    ],
)
def test_client_that_awaits_100_continue_is_recognised(line, expected, begin):
    arrival = begin()
    arrival.add(line + b"\r\nContent-Length: 3\r\n\r\n")

    assert arrival.conn.framing.awaits_continue is expected


class CountedBytes(bytearray):
    """Counts how many bytes are searched."""

    searched = 0

    def find(self, sub, start=0, end=None):
        found = super().find(sub, start, len(self) if end is None else end)
        last = min(len(self), end or len(self)) if found < 0 else found + len(sub)
        self.searched += max(0, last - start)
        return found


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\n" + (b"A: " + b"b" * 7_500 + b"\r\n") * 4 + b"\r\n",
        POST + b"Content-Length: 30000\r\n\r\n" + b"\r" * 30_000,
        CHUNKED + b"1\r\na\r\n" * 5_000 + b"0\r\n\r\n",
        CHUNKED + b"%x\r\n" % 30_000 + b"\r" * 30_000 + b"\r\n0\r\n\r\n",
        CHUNKED + b"0\r\n" + b"A: b\r\n" * 5_000 + b"\r\n",
    ],
    ids=["head", "body", "small_chunks", "large_chunk", "trailers"],
)
def test_request_that_comes_byte_by_byte_is_searched_about_once(request_bytes, begin):
    arrival = begin()
    arrival.conn.received = CountedBytes()
    for byte in request_bytes:
        arrival.add(bytes([byte]))

    assert arrival.conn.is_whole
    assert arrival.conn.received.searched < 6 * len(request_bytes)


def test_documented_limits_are_those_of_the_server():
    text = (PROJECT_DIR / "docs/internals.md").read_text()
    limits = {what: limit for what, limit, _ in read_rows(text, "what", "limit", "after that")}

    assert limits["a request's head"] == f"{MAX_HEAD_BYTES >> 10} KiB and {MAX_HEAD_LINES:,} lines"
    assert limits["a request's body"].startswith(
        f"{MAX_SIGNED_OUT_BYTES >> 10} KiB; {MAX_LARGE_BODY_BYTES >> 20} MiB with"
    )
    assert MAX_CHUNKS_BYTES == MAX_SIGNED_OUT_BYTES
