"""Requests are passed on when they are whole, or will never be."""

import pytest

from embed.server.framing import (
    MAX_CHUNKS_BYTES,
    MAX_HEAD_BYTES,
    MAX_REQUEST_BYTES,
    MAX_SIGNED_OUT_BYTES,
    Framing,
)

POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
OWNERS = "a=b; session=owners"
SIGNED_IN = POST + b"Cookie: " + OWNERS.encode() + b"\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"

WHOLE = {
    "no_body": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "empty_line_first": b"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "proxy_header": b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c"
    + b"a" * 12
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
    "length_is_no_number": POST + b"Content-Length: ten\r\n\r\n",
    "length_is_negative": POST + b"Content-Length: -1\r\n\r\n",
    "length_and_chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
    "size_is_no_number": CHUNKED + b"zz\r\n",
    "size_is_negative": CHUNKED + b"-5\r\n",
    "size_is_missing": CHUNKED + b"\r\n",
    "size_is_huge": CHUNKED + b"f" * 20 + b"\r\n",
    "size_without_end": CHUNKED + b"1" * 10_000,
}
TOO_LONG = {
    "head": b"GET /" + b"a" * MAX_HEAD_BYTES,
    "head_with_its_end": b"GET / HTTP/1.1\r\n" + b"A:b\r\n" * (MAX_HEAD_BYTES // 5) + b"\r\n",
    "body": SIGNED_IN + b"Content-Length: %d\r\n\r\n" % MAX_REQUEST_BYTES,
    "body_without_cookie": POST + b"Content-Length: %d\r\n\r\n" % MAX_SIGNED_OUT_BYTES,
    "body_with_a_cookie": POST
    + b"Cookie: session=made-up\r\nContent-Length: %d\r\n\r\n" % MAX_SIGNED_OUT_BYTES,
    "chunk": CHUNKED + b"%x\r\n" % MAX_CHUNKS_BYTES,
    "chunks": CHUNKED + b"1\r\na\r\n" * (MAX_CHUNKS_BYTES // 6 + 1),
    "trailers": CHUNKED + b"0\r\n" + b"A: b\r\n" * (MAX_CHUNKS_BYTES // 6 + 1),
}


def is_signed_in(cookies: str) -> bool:
    return cookies.strip() == OWNERS


def frame() -> Framing:
    return Framing(is_signed_in)


def by_name(cases: dict[str, bytes]):
    return pytest.mark.parametrize("request_bytes", cases.values(), ids=cases.keys())


@by_name(WHOLE)
def test_whole_request_is_passed_on_with_its_last_byte(request_bytes):
    framing, received = frame(), bytearray()
    passed_on = []
    for byte in request_bytes:
        received.append(byte)
        passed_on.append(framing.can_pass_on(received))

    assert passed_on == [False] * (len(request_bytes) - 1) + [True]
    assert framing.is_whole


@by_name(WHOLE)
def test_request_that_others_follow_is_whole(request_bytes):
    framing = frame()

    assert framing.can_pass_on(bytearray(request_bytes + b"GET /next HTTP/1.1\r\n"))
    assert framing.is_whole


@by_name(MALFORMED | TOO_LONG)
def test_request_that_is_malformed_or_too_long_is_passed_on_at_once(request_bytes):
    assert frame().can_pass_on(bytearray(request_bytes))


@pytest.mark.parametrize("name", TOO_LONG)
def test_only_a_long_head_is_called_so(name):
    framing = frame()
    framing.can_pass_on(bytearray(TOO_LONG[name]))

    assert framing.has_long_head is name.startswith("head")


def test_long_body_of_a_signed_in_owner_is_waited_for():
    length = MAX_REQUEST_BYTES - 200
    head = bytearray(SIGNED_IN.lower() + b"content-length: %d\r\n\r\n" % length)
    framing = frame()

    assert not framing.can_pass_on(head, length - 1)
    assert framing.large_bytes == len(head) + length
    assert framing.can_pass_on(head, length)
    assert framing.is_whole


@pytest.mark.parametrize(
    ("head", "length"),
    [
        (SIGNED_IN, 100),
        (SIGNED_IN, MAX_REQUEST_BYTES),
        (POST + b"Cookie: " + b"a=b; " * 2_000 + b"\r\n", 100_000),
    ],
    ids=["small", "too_large", "long_cookies"],
)
def test_session_is_only_checked_where_it_matters(head, length):
    """Checking takes time in the loop that serves all clients."""
    checked = []
    framing = Framing(lambda cookies: bool(checked.append(cookies)))
    framing.can_pass_on(bytearray(head + b"Content-Length: %d\r\n\r\n" % length))

    assert not checked


@by_name(TOO_LONG)
def test_request_that_is_too_long_is_not_whole(request_bytes):
    framing = frame()
    framing.can_pass_on(bytearray(request_bytes))

    assert not framing.is_whole


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"POST / HTTP/1.1\r\nHost: a\r\nexpect: 100-Continue", True),
        (b"POST / HTTP/1.1\r\nExpect: 100-continue", True),
        (b"POST / HTTP/1.0\r\nExpect: 100-continue", False),
        (b"POST / HTTP/1.1\r\nX-Expect: 100-continue", False),
        (b"POST / HTTP/1.1\r\nExpect: cake", False),
    ],
)
def test_client_that_awaits_100_continue_is_recognised(line, expected):
    framing = frame()
    framing.can_pass_on(bytearray(line + b"\r\nContent-Length: 3\r\n\r\n"))

    assert framing.awaits_continue is expected


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
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5_000 + b"\r\n",
        POST + b"Content-Length: 30000\r\n\r\n" + b"\r" * 30_000,
        CHUNKED + b"1\r\na\r\n" * 5_000 + b"0\r\n\r\n",
        CHUNKED + b"%x\r\n" % 30_000 + b"\r" * 30_000 + b"\r\n0\r\n\r\n",
        CHUNKED + b"0\r\n" + b"A: b\r\n" * 5_000 + b"\r\n",
    ],
    ids=["head", "body", "small_chunks", "large_chunk", "trailers"],
)
def test_request_that_comes_byte_by_byte_is_searched_about_once(request_bytes):
    framing, received = frame(), CountedBytes()
    for byte in request_bytes:
        received.append(byte)
        framing.can_pass_on(received)

    assert framing.is_whole
    assert received.searched < 6 * len(request_bytes)
