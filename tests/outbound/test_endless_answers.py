"""Answers without end, or that say they are enormous, however they are framed."""

import gzip
import smtplib
import socket
import ssl
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Event

import pytest
import requests
from support.certificates import make_certificate
from support.raw_server import read_request, repeat, send, serve_raw

from embed.outbound.guard import Reach, guarded
from embed.outbound.http import AnswerTooLarge, Client, RequestFailed

MAX_BYTES = 64 * 1024
# The answer several times over, while it is taken apart, and what Python keeps of modules.
MAX_MEMORY_BYTES = 2 * 1024 * 1024
LIMIT_S = 30  # no answer here takes as long as this, on the slowest machine

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH = OK + b"Content-Length: %b\r\n\r\n"
TEXT = b"x" * 1000

ENDLESS = {
    "chunk of -1 bytes": repeat(CHUNKED + b"-1\r\n", TEXT),
    "chunk of -2 bytes": repeat(CHUNKED + b"-2\r\n", TEXT),
    "chunks of -1 bytes": repeat(CHUNKED, b"-1\r\n"),
    "chunk of 2**64 bytes": repeat(CHUNKED + b"1" + b"0" * 16 + b"\r\n", TEXT),
    "chunk of a length of 5,000 digits": repeat(CHUNKED + b"f" * 5000 + b"\r\n", TEXT),
    "chunks of a byte": repeat(CHUNKED, b"1\r\nx\r\n"),
    "chunks of +5 bytes": repeat(CHUNKED, b" +5 \r\nhello\r\n"),
    "chunks of 1_0 bytes": repeat(CHUNKED, b"1_0\r\n" + TEXT[:16] + b"\r\n"),
    "chunks with extensions": repeat(CHUNKED, b"1;" + TEXT + b"\r\nx\r\n"),
    "trailers": repeat(CHUNKED + b"0\r\n", b"x: y\r\n"),
    "100 Continue": repeat(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "100 Continue with headers": repeat(b"", b"HTTP/1.1 100 Go\r\nx: " + TEXT + b"\r\n\r\n"),
    "headers": repeat(OK, b"x: " + TEXT + b"\r\n"),
    "header in many lines": repeat(OK + b"x: y\r\n", b" " + TEXT + b"\r\n"),
    "length of -1": repeat(LENGTH % b"-1", TEXT),
    "length of 10**18": repeat(LENGTH % (b"1" + b"0" * 18), TEXT),
    "length of 5,000 digits": repeat(LENGTH % (b"9" * 5000), TEXT),
    "length and chunks": repeat(
        OK + b"Content-Length: 5\r\n" + CHUNKED[len(OK) :] + b"-1\r\n", TEXT
    ),
    "chunks twice": repeat(OK + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n-1\r\n", TEXT),
    "packed chunks": repeat(OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n-1\r\n", TEXT),
    "chunks after 204": repeat(CHUNKED.replace(b"200 OK", b"204 No Content") + b"-1\r\n", TEXT),
    "neither length nor chunks": repeat(OK + b"Connection: close\r\n\r\n", TEXT),
    "redirect": repeat(OK.replace(b"200 OK", b"302 Found\r\nLocation: /") + b"\r\n", TEXT),
}
# These are given up before so much was read.
MALFORMED = {
    "status line": repeat(b"HTTP/1.1 200 ", TEXT),
    "bytes without a status line": repeat(b"", TEXT),
    "empty lines": repeat(b"", b"\r\n"),
    "header": repeat(OK + b"x: ", TEXT),
    "many headers": repeat(OK, b"x: y\r\n"),
    "extension of a chunk": repeat(CHUNKED + b"1;", TEXT),
    "trailer": repeat(CHUNKED + b"0\r\nx: ", TEXT),
    "chunks without a size": repeat(CHUNKED, b"\r\n"),
    "two lengths": repeat(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", TEXT),
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


def ask(port: int, scheme: str = "http") -> bytes:
    with closing(Client(Reach.ANY)) as client:
        return ask_by(client, port, scheme)


def ask_by(client: Client, port: int, scheme: str = "http") -> bytes:
    how = {"headers": {}, "timeout_s": LIMIT_S, "max_bytes": MAX_BYTES}
    return client.post(f"{scheme}://127.0.0.1:{port}/", b"body", **how).body


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


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified", b"101 Switching"])
def test_what_follows_an_answer_without_a_body_is_not_read(status):
    answer = repeat(b"HTTP/1.1 " + status + b"\r\nContent-Length: 99999999\r\n\r\n", TEXT)
    with serve_raw(answer) as port, little_memory():
        assert ask(port) == b""


@pytest.mark.parametrize("framing", ENDLESS | MALFORMED)
def test_libraries_read_no_more_either(framing):
    answers = ENDLESS | MALFORMED
    with serve_raw(answers[framing]) as port, little_memory():
        url = f"http://127.0.0.1:{port}/"
        limits = {"timeout_s": LIMIT_S, "max_bytes": MAX_BYTES}
        with guarded(reach=Reach.ANY, **limits), pytest.raises(requests.RequestException):
            requests.post(url, b"body", timeout=LIMIT_S)


def test_redirect_that_cannot_be_unpacked_takes_no_memory_for_its_length():
    """For it requests reads the rest at once, by the length that it was told."""
    head = (
        b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    )
    with (
        serve_raw(repeat(head % 10**15, TEXT)) as port,
        little_memory(),
        guarded(reach=Reach.ANY, timeout_s=LIMIT_S, max_bytes=MAX_BYTES) as guard,
        pytest.raises(Exception, match="too large"),
    ):
        requests.get(f"http://127.0.0.1:{port}/", timeout=LIMIT_S)
    assert guard.is_exceeded


def test_answer_that_was_compressed_twice_is_not_unpacked():
    """The outer layer holds so many empty blocks of the inner one that it would take hours."""
    inner = gzip.compress(b"hello")
    head = OK + b"Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n"
    with (
        serve_raw(send(head, gzip.compress(inner))) as port,
        guarded(reach=Reach.ANY, timeout_s=LIMIT_S, max_bytes=MAX_BYTES),
        pytest.raises(requests.RequestException, match="more than once"),
    ):
        requests.get(f"http://127.0.0.1:{port}/", timeout=LIMIT_S)


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
    endless = repeat(CHUNKED + b"-1\r\n", TEXT)

    def answer(connection: socket.socket) -> None:
        answer_each(connection, frame(b"hello"))
        endless(connection)

    with serve_raw(answer) as port, little_memory():
        client = Client(Reach.ANY)
        assert ask_by(client, port) == b"hello"
        with pytest.raises(AnswerTooLarge):
            ask_by(client, port)


@pytest.mark.parametrize("first", [frame(b"first"), b"HTTP/1.1 103 Early Hints\r\n\r\n"])
@pytest.mark.parametrize("is_in_one", [True, False])
def test_answer_that_was_sent_ahead_is_not_taken_for_that_to_the_next_request(first, is_in_one):
    was_read, was_sent = Event(), Event()

    def answer(connection: socket.socket) -> None:
        connection.sendall(first + frame(b"ahead") if is_in_one else first)
        was_read.wait(LIMIT_S)
        if not is_in_one:
            connection.sendall(frame(b"ahead"))
        was_sent.set()
        read_request(connection)
        connection.sendall(frame(b"right"))

    with serve_raw(answer) as port:
        client = Client(Reach.ANY)
        ask_by(client, port)
        was_read.set()
        was_sent.wait(LIMIT_S)

        # By the same connection, or by a new one.
        assert ask_by(client, port) in (b"right", b"first", b"")
        client.close()


# TLS and mail


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls") / "both.pem")


@pytest.fixture
def encrypt(certificate):
    """Return what makes the server's end of a connection one with TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return lambda connection: context.wrap_socket(connection, server_side=True)


@pytest.mark.slow
def test_answer_by_tls_is_bounded_as_any_other(certificate, encrypt):
    def answer(connection: socket.socket) -> None:
        with encrypt(connection) as encrypted:
            read_request(encrypted)
            repeat(CHUNKED + b"-1\r\n", TEXT)(encrypted)

    with (
        serve_raw(answer, reads_first=False) as port,
        little_memory(),
        guarded(reach=Reach.ANY, timeout_s=LIMIT_S, max_bytes=MAX_BYTES) as guard,
        pytest.raises(requests.RequestException),
    ):
        requests.get(f"https://localhost:{port}/", timeout=LIMIT_S, verify=str(certificate))
    assert guard.is_exceeded


@pytest.mark.parametrize("part", [TEXT, b"\x15\x03\x03\0\2\1\0", b"\x16\x03\x03\0\0"])
def test_what_is_no_tls_is_given_up(part):
    """Anything, warnings without end, and empty records without end."""
    with (
        serve_raw(repeat(b"", part), reads_first=False) as port,
        little_memory(),
        pytest.raises(RequestFailed, match="its TLS failed"),
    ):
        ask(port, "https")


def log_in(port: int) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with smtplib.SMTP("localhost", port, timeout=LIMIT_S) as client:
        client.starttls(context=context)
        client.login("ann", "password")


@pytest.mark.slow
@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("part", [b"250-" + TEXT + b"\r\n", b"334 aGk=\r\n"])
def test_mail_is_bounded_in_every_reply(encrypt, at, part):
    """One reply has no end: the greeting, or that to EHLO, STARTTLS, EHLO again or AUTH."""
    capabilities = b"250-STARTTLS\r\n250 AUTH LOGIN\r\n"
    replies = [b"220 hello\r\n", capabilities, b"220 go\r\n", capabilities, b"334 aGk=\r\n"]

    def answer(connection: socket.socket) -> None:
        for number, reply in enumerate(replies[:at]):
            connection.sendall(reply)
            connection = encrypt(connection) if number == 2 else connection
            connection.recv(1000)
        repeat(b"", part)(connection)

    with (
        serve_raw(answer, reads_first=False) as port,
        little_memory(),
        guarded(reach=Reach.ANY, timeout_s=LIMIT_S, max_bytes=MAX_BYTES) as guard,
        pytest.raises(OSError),  # noqa: PT011  # smtplib has many
    ):
        log_in(port)
    assert not guard.is_expired
