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
    "chunks with extensions": repeat(CHUNKED, b"1;" + TEXT + b"\r\nx\r\n"),
    "trailers": repeat(CHUNKED + b"0\r\n", b"x: y\r\n"),
    "100 Continue": repeat(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "headers": repeat(OK, b"x: " + TEXT + b"\r\n"),
    "neither length nor chunks": repeat(OK + b"Connection: close\r\n\r\n", TEXT),
    "redirect": repeat(OK.replace(b"200 OK", b"302 Found\r\nLocation: /") + b"\r\n", TEXT),
}
# These are given up, too, some before so much was read.
MALFORMED = {
    "chunk of a length of 5,000 digits": repeat(CHUNKED + b"f" * 5000 + b"\r\n", TEXT),
    "chunks without a size": repeat(CHUNKED, b"\r\n"),
    "length of 5,000 digits": repeat(LENGTH % (b"9" * 5000), TEXT),
    "status line": repeat(b"HTTP/1.1 200 ", TEXT),
    "many headers": repeat(OK, b"x: y\r\n"),
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


def test_what_follows_an_answer_without_a_body_is_not_read():
    answer = repeat(b"HTTP/1.1 204 No Content\r\nContent-Length: 99999999\r\n\r\n", TEXT)
    with serve_raw(answer) as port, little_memory():
        assert ask(port) == b""


def test_compressed_answer_is_not_unpacked():
    packed = gzip.compress(bytes(10_000_000))
    head = OK + b"Content-Encoding: gzip\r\n\r\n"
    with serve_raw(send(head, packed)) as port, little_memory():
        assert ask(port) == packed


# Connections that stay open


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
