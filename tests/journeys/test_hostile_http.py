"""Malformed HTTP: each request gets a 4xx or a closed connection."""

import json
import socket
from dataclasses import dataclass
from http.client import HTTPResponse, RemoteDisconnected

import pytest
from support.remote import RemotePage, make_environ
from support.servers import run_gunicorn
from support.world import SITE, USDC

pytestmark = pytest.mark.slow

LIMIT_S = 20
BIG = b"x" * 3_000_000


@pytest.fixture(scope="module")
def page(shared_database_url):
    environ = make_environ(shared_database_url)
    with run_gunicorn(environ) as server:
        yield RemotePage(server.url, environ)


@pytest.fixture(autouse=True)
def server_lives_on(page):
    """Check after every test that the service still answers a valid request."""
    yield
    assert page.read().status_code == 200


@dataclass
class Answer:
    status: int | None = None  # None: the connection was closed without an answer
    body: bytes = b""


def send(page: RemotePage, request: bytes, *, cut_short=False, send_buffer_bytes=None) -> Answer:
    """Send bytes on a new connection and return what comes back before it is closed."""
    host, _, port = page.server_url.removeprefix("http://").partition(":")
    with socket.socket() as connection:
        connection.settimeout(LIMIT_S)
        if send_buffer_bytes:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_bytes)
        connection.connect((host, int(port)))
        connection.sendall(request)
        if cut_short:
            connection.shutdown(socket.SHUT_WR)
        return _read_answer(connection)


def _read_answer(connection: socket.socket) -> Answer:
    with HTTPResponse(connection) as response:
        try:
            response.begin()
        except RemoteDisconnected:
            return Answer()
        return Answer(response.status, response.read())


def post(page: RemotePage, *headers: bytes, host=b"embed.example", version=b"1.1") -> bytes:
    """Return the head of a nonce request; `host` None leaves that header out."""
    lines = [
        b"POST /api/embed/siws/nonce HTTP/" + version,
        b"Authorization: Bearer " + page.public_key.encode(),
        b"Origin: " + SITE.encode(),
        b"Content-Type: application/json",
        b"Connection: close",
        *([] if host is None else [b"Host: " + host]),
        *headers,
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def get(page: RemotePage, *headers: bytes) -> bytes:
    lines = [
        b"GET /api/embed/tracking/" + page.page_id.encode() + b" HTTP/1.1",
        b"Authorization: Bearer " + page.public_key.encode(),
        b"Connection: close",
        *headers,
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def nonce_body(page: RemotePage) -> bytes:
    return json.dumps({"trackingPageId": page.page_id, "walletAddress": USDC}).encode()


def in_chunks(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


BAD_REQUEST = Answer(400, b"400 Bad Request\n")


def assert_refused(answer: Answer) -> None:
    assert answer.status is None or 400 <= answer.status < 500


def test_client_that_sends_3_mb_slowly_gets_to_read_its_400(page):
    request = post(page, b"Content-Length: %d" % len(BIG)) + BIG

    answer = send(page, request, send_buffer_bytes=100_000)

    assert (answer.status, json.loads(answer.body)) == (400, {"error": "invalid_json"})


def test_3_mb_in_chunks_are_too_large(page):
    answer = send(page, post(page, b"Transfer-Encoding: chunked") + in_chunks(BIG))

    assert answer.status == 413


@pytest.mark.parametrize(
    "framed",
    [b"zz\r\nno size\r\n0\r\n\r\n", b"-5\r\nminus\r\n0\r\n\r\n", b"2\r\n{}XX0\r\n\r\n"],
    ids=["size_is_no_number", "size_is_negative", "chunk_without_end"],
)
def test_chunks_that_are_none_are_refused(page, framed):
    assert send(page, post(page, b"Transfer-Encoding: chunked") + framed) == BAD_REQUEST


@pytest.mark.parametrize("framing", [b"Content-Length: 1000", b"Transfer-Encoding: chunked"])
def test_body_cut_short_is_refused(page, framing):
    start = b"3e8\r\n" if b"chunked" in framing else b""

    answer = send(page, post(page, framing) + start + b'{"trackingPageId": "', cut_short=True)

    assert answer == BAD_REQUEST


@pytest.mark.parametrize(
    "framing",
    [
        [b"Content-Length: -1"],
        [b"Content-Length: 2", b"Content-Length: 3"],
        [b"Content-Length: 2", b"Transfer-Encoding: chunked"],
        [b"Transfer-Encoding: gzip"],
    ],
    ids=lambda framing: b"+".join(framing).decode(),
)
def test_contradictory_framing_is_refused(page, framing):
    assert send(page, post(page, *framing) + b"{}}").status == 400


@pytest.mark.parametrize(
    "host",
    [
        b"",
        b"user@embed.example",
        b"[::1",
        b"nul\x00",
    ],
    ids=lambda host: repr(host[:20]),
)
def test_host_that_is_none_is_refused(page, host):
    """The message to sign names the host, so no message can be built."""
    body = nonce_body(page)

    answer = send(page, post(page, b"Content-Length: %d" % len(body), host=host) + body)

    assert answer.status == 400


def test_two_origins_are_no_allowed_origin_even_if_one_of_them_is(page):
    answer = send(
        page,
        get(
            page,
            b"Host: embed.example",
            b"Origin: " + SITE.encode(),
            b"Origin: https://evil.example",
        ),
    )

    assert (answer.status, json.loads(answer.body)) == (403, {"error": "origin_not_allowed"})


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET * HTTP/1.1\r\nHost: embed.example\r\n\r\n",
        b"GET /api/embed/tracking/\xff\xfe HTTP/1.1\r\nHost: embed.example\r\n\r\n",
        b"GET /api/embed/tracking/x HTTP/9.9\r\nHost: embed.example\r\n\r\n",
        b"GET /api/embed/tracking/x HTTP/1.1\r\nHost: embed.example\r\nExpect: cake\r\n\r\n",
        b"GET /api/embed/tracking/x HTTP/1.1\r\nHost : embed.example\r\n\r\n",
        b"CONNECT embed.example:443 HTTP/1.1\r\nHost: embed.example\r\nConnection: close\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: embed.example\r\nConnection: close\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
    ],
    ids=["tls", "star", "raw_bytes", "version", "expect", "space", "connect", "options", "nothing"],
)
def test_what_is_no_request_for_this_server_is_refused(page, request_bytes):
    assert_refused(send(page, request_bytes, cut_short=True))
