"""Answers without end, or that say they are enormous, however they are framed."""

import gzip
import socket
import ssl
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from support.certificates import make_certificate
from support.raw_server import read_request, repeat, send, serve_raw

from embed import outbound
from embed.outbound import AnswerTooLarge, Client, Reach, RequestFailed

MAX_BYTES = 64 * 1024
# The answer several times over, while it is taken apart, and what Python keeps of modules.
MAX_MEMORY_BYTES = 2 * 1024 * 1024
LIMIT_S = 30  # no answer here takes as long as this, on the slowest machine

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH = OK + b"Content-Length: %b\r\n\r\n"
TEXT = b"x" * 1000

ENDLESS = {
    "chunk of 2**64 bytes": repeat(CHUNKED + b"1" + b"0" * 16 + b"\r\n", TEXT),
    "chunks of a byte": repeat(CHUNKED, b"1\r\nx\r\n"),
    "chunks with extensions": repeat(CHUNKED, b"1;" + TEXT + b"\r\nx\r\n"),
    "trailers": repeat(CHUNKED + b"0\r\n", b"x: y\r\n"),
    "100 Continue": repeat(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "100 Continue with headers": repeat(b"", b"HTTP/1.1 100 Go\r\nx: " + TEXT + b"\r\n\r\n"),
    "headers": repeat(OK, b"x: " + TEXT + b"\r\n"),
    "header in many lines": repeat(OK + b"x: y\r\n", b" " + TEXT + b"\r\n"),
    "length of 10**18": repeat(LENGTH % (b"1" + b"0" * 18), TEXT),
    "neither length nor chunks": repeat(OK + b"Connection: close\r\n\r\n", TEXT),
    "redirect": repeat(OK.replace(b"200 OK", b"302 Found\r\nLocation: /") + b"\r\n", TEXT),
}
# These are given up, too, some before so much was read.
MALFORMED = {
    "chunk of -1 bytes": repeat(CHUNKED + b"-1\r\n", TEXT),
    "chunk of a length of 5,000 digits": repeat(CHUNKED + b"f" * 5000 + b"\r\n", TEXT),
    "chunks of +5 bytes": repeat(CHUNKED, b" +5 \r\nhello\r\n"),
    "chunks without a size": repeat(CHUNKED, b"\r\n"),
    "extension of a chunk": repeat(CHUNKED + b"1;", TEXT),
    "trailer": repeat(CHUNKED + b"0\r\nx: ", TEXT),
    "length of -1": repeat(LENGTH % b"-1", TEXT),
    "length of 5,000 digits": repeat(LENGTH % (b"9" * 5000), TEXT),
    "two lengths": repeat(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", TEXT),
    "chunks twice": repeat(OK + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n-1\r\n", TEXT),
    "status line": repeat(b"HTTP/1.1 200 ", TEXT),
    "bytes without a status line": repeat(b"", TEXT),
    "empty lines": repeat(b"", b"\r\n"),
    "header": repeat(OK + b"x: ", TEXT),
    "many headers": repeat(OK, b"x: y\r\n"),
    "HTTP/2": repeat(b"HTTP/2 200\r\n\r\n", TEXT),
}


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MAX_MEMORY_BYTES


def ask(port: int, scheme: str = "http", host: str = "127.0.0.1") -> bytes:
    with closing(Client(Reach.ANY)) as client:
        return ask_by(client, port, scheme, host)


def ask_by(client: Client, port: int, scheme: str = "http", host: str = "127.0.0.1") -> bytes:
    how = {"headers": {}, "timeout_s": LIMIT_S, "max_bytes": MAX_BYTES}
    return client.request("POST", f"{scheme}://{host}:{port}/", b"body", **how).body


@pytest.mark.parametrize("framing", ENDLESS)
def test_no_more_is_read_than_was_wanted(framing):
    with (
        serve_raw(ENDLESS[framing]) as port,
        little_memory(),
        pytest.raises(AnswerTooLarge, match="the answer is larger than 65,536 bytes"),
    ):
        ask(port)


@pytest.mark.parametrize("framing", MALFORMED)
def test_malformed_answer_without_end_is_given_up(framing):
    with serve_raw(MALFORMED[framing]) as port, little_memory(), pytest.raises(RequestFailed):
        ask(port)


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_what_follows_an_answer_without_a_body_is_not_read(status):
    answer = repeat(b"HTTP/1.1 " + status + b"\r\nContent-Length: 99999999\r\n\r\n", TEXT)
    with serve_raw(answer) as port, little_memory():
        assert ask(port) == b""


def test_compressed_answer_is_not_unpacked():
    packed = gzip.compress(bytes(10_000_000))
    head = OK + b"Content-Encoding: gzip\r\n\r\n"
    with serve_raw(send(head, packed)) as port, little_memory():
        assert ask(port) == packed


# Connections that stay open


def answer_each(connection: socket.socket, *answers: bytes) -> None:
    """Answer a request that was read, and those that follow it."""
    for answer in answers:
        connection.sendall(answer)
        read_request(connection)


def frame(body: bytes) -> bytes:
    return LENGTH % str(len(body)).encode() + body


def test_what_a_connection_received_before_does_not_count_for_the_next_request():
    body = b"x" * (MAX_BYTES * 2 // 3)
    opened = []

    def answer(connection: socket.socket) -> None:
        opened.append(connection)
        answer_each(connection, *[frame(body)] * 5)

    with serve_raw(answer) as port:
        client = Client(Reach.ANY)
        for _ in range(5):
            assert ask_by(client, port) == body
        client.close()
    assert len(opened) == 1


def test_connection_that_stayed_open_is_bounded_as_a_new_one():
    endless = ENDLESS["chunks of a byte"]

    def answer(connection: socket.socket) -> None:
        answer_each(connection, frame(b"hello"))
        endless(connection)

    with serve_raw(answer) as port, little_memory():
        client = Client(Reach.ANY)
        assert ask_by(client, port) == b"hello"
        with pytest.raises(AnswerTooLarge):
            ask_by(client, port)


# TLS


@pytest.fixture
def encrypt(tmp_path, monkeypatch):
    """Return what makes the server's end of a connection one with TLS, which the client trusts."""
    certificate = make_certificate(tmp_path / "both.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    trusted = ssl.create_default_context(cafile=certificate)
    monkeypatch.setattr(outbound, "_make_tls_context", lambda: trusted)
    return lambda connection: context.wrap_socket(connection, server_side=True)


@pytest.mark.slow
def test_answer_by_tls_is_bounded_as_any_other(encrypt):
    def answer(connection: socket.socket) -> None:
        with encrypt(connection) as encrypted:
            read_request(encrypted)
            repeat(CHUNKED + b"1\r\nx\r\n", b"1\r\nx\r\n")(encrypted)

    with (
        serve_raw(answer, reads_first=False) as port,
        little_memory(),
        pytest.raises(AnswerTooLarge),
    ):
        ask(port, "https", "localhost")


@pytest.mark.parametrize("part", [TEXT, b"\x15\x03\x03\0\2\1\0", b"\x16\x03\x03\0\0"])
def test_what_is_no_tls_is_given_up(part):
    """Anything, warnings without end, and empty records without end."""
    reason = "it does not speak TLS at this port" if part == TEXT else "its TLS failed"
    with (
        serve_raw(repeat(b"", part), reads_first=False) as port,
        little_memory(),
        pytest.raises(RequestFailed, match=reason),
    ):
        ask(port, "https")
