"""Connections whose requests are malformed, come together, or have a body that nobody wants.

What is malformed is the matter of tests/server; here is what clients of a real server get.
"""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from resource import RLIMIT_NOFILE, prlimit, setrlimit
from urllib.parse import urlsplit

import pytest
import requests
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import PROJECT_DIR, clean_environ, run_gunicorn
from support.waiting import wait_for
from support.world import SITE, USDC

pytestmark = pytest.mark.slow

LARGE = 3_000_000
CLOSE = b"Connection: close"


@pytest.fixture(scope="module")
def environ(make_sqlite):
    return make_environ(make_sqlite())


@pytest.fixture(scope="module")
def page(environ):
    with run_gunicorn(environ) as server:
        yield RemotePage(server.url, environ)


@contextmanager
def connect(page: RemotePage) -> Iterator[socket.socket]:
    address = urlsplit(page.server_url)
    with socket.create_connection((address.hostname, address.port), TIMEOUT_S) as client:
        yield client


def send(page: RemotePage, request: bytes) -> bytes:
    """Send all that there will be, and return the whole answer; other clients are served then."""
    with connect(page) as client:
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        answer = read(client)
    assert page.read().status_code == 200
    return answer


def read(client: socket.socket) -> bytes:
    """Return all that the server sends until it closes the connection."""
    with client.makefile("rb") as answers:
        return answers.read()


def make_head(page: RemotePage, line: bytes, *headers: bytes) -> bytes:
    key = b"Authorization: Bearer " + page.public_key.encode()
    always = (b"Host: embed.example", b"Origin: " + SITE.encode(), key)
    return b"\r\n".join([line + b" HTTP/1.1", *always, *headers]) + b"\r\n\r\n"


def make_get(page: RemotePage, *headers: bytes) -> bytes:
    return make_head(page, b"GET /api/embed/tracking/" + page.page_id.encode(), *headers)


def make_post(page: RemotePage, *headers: bytes) -> tuple[bytes, bytes]:
    """Return a valid request for a nonce: head and body."""
    body = json.dumps({"trackingPageId": page.page_id, "walletAddress": USDC}).encode()
    headers += (b"Content-Type: application/json", b"Content-Length: %d" % len(body))
    return make_head(page, b"POST /api/embed/siws/nonce", *headers), body


def test_requests_sent_together_are_answered_in_their_order(page):
    head, body = make_post(page)
    nobody = make_head(page, b"GET /api/embed/tracking/nobody")
    with connect(page) as client:
        client.sendall(make_get(page) + head + body + nobody + make_get(page, CLOSE))
        answers = read(client)

    statuses = [part.split(b" ")[0] for part in answers.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200", b"200", b"401", b"200"]


@pytest.mark.parametrize("size", [10, LARGE])
def test_connection_is_kept_after_a_body_that_was_not_read(page, size):
    """The body looks like a request, which must not be answered."""
    address = urlsplit(page.server_url)
    client = HTTPConnection(address.hostname, address.port, timeout=TIMEOUT_S)
    body = (make_get(page) * (1 + size // 100))[:size]

    client.request("POST", "/api/embed/siws/nonce", body)
    refused = client.getresponse()
    assert (refused.status, json.loads(refused.read())) == (401, {"error": "missing_key"})
    kept = client.sock

    client.request("POST", "/api/embed/siws/nonce", b"{}")
    answer = client.getresponse()
    assert (answer.status, json.loads(answer.read())) == (401, {"error": "missing_key"})
    assert client.sock is kept is not None
    client.close()


def test_body_that_is_too_long_is_refused_at_once_and_ends_the_connection(page):
    head = make_head(page, b"POST /dashboard/sign-in", b"Content-Length: 20000000")
    with connect(page) as client:
        client.sendall(head + make_get(page))
        answer = read(client)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"\r\nConnection: close\r\n" in answer
    assert answer.count(b"HTTP/1.1") == 1


def test_client_that_awaits_100_continue_is_told_so_once(page):
    head, body = make_post(page, b"Expect: 100-continue", CLOSE)
    with connect(page) as client:
        client.sendall(head)
        assert client.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(body)

        assert read(client).startswith(b"HTTP/1.1 200 OK\r\n")


def test_client_that_sends_3_mb_slowly_gets_to_read_its_400(page):
    json_of = b"Content-Type: application/json", b"Content-Length: %d" % LARGE
    with connect(page) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 100_000)
        client.sendall(make_head(page, b"POST /api/embed/siws/nonce", CLOSE, *json_of))
        client.sendall(b"x" * LARGE)
        answer = read(client)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b'{"error": "invalid_json"}')


def test_two_origins_are_no_allowed_origin_even_if_one_of_them_is(page):
    answer = send(page, make_get(page, CLOSE, b"Origin: https://evil.example"))

    assert answer.startswith(b"HTTP/1.1 403 ")
    assert answer.endswith(b'{"error": "origin_not_allowed"}')


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",  # TLS
        b"GET /api/embed/tracking/x HTTP/1.1\r\nHost : a\r\n\r\n",
        b"POST /api/embed/siws/nonce HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n{}",
        b"\r\n\r\n\r\n\r\n",
    ],
)
def test_what_is_no_request_for_this_server_is_refused(page, request_bytes):
    assert re.match(rb"HTTP/1\.1 4\d\d |$", send(page, request_bytes))


@pytest.mark.parametrize(
    ("options", "files", "said"),
    [
        (("--certfile", __file__, "--keyfile", __file__), 1024, "TLS needs a proxy in front"),
        ((), 256, "800 connections need 920 open files, and the system allows 256"),
    ],
    ids=["TLS", "more connections than open files"],
)
def test_start_is_refused_with_a_sentence(environ, options, files, said):
    ended = subprocess.run(
        [sys.executable, "-m", "gunicorn", "app:app", "--bind", "127.0.0.1:0", *options],
        cwd=PROJECT_DIR,
        env=clean_environ() | environ,
        preexec_fn=partial(setrlimit, RLIMIT_NOFILE, (files, files)),
        stderr=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT_S,
    )

    assert ended.returncode == 1
    assert f"Error: {said}" in ended.stderr


def test_process_that_may_open_no_more_files_goes_on_and_accepts_those_who_waited(environ):
    with run_gunicorn(environ) as server, ExitStack() as opened:
        wait_for(lambda: requests.get(f"{server.url}/readyz", timeout=TIMEOUT_S).ok)
        (worker,) = server.wait_for_workers(1)
        files = Path(f"/proc/{worker}/fd")
        allowed = len(list(files.iterdir())) + 10
        hard_limit = prlimit(worker, RLIMIT_NOFILE)[1]
        prlimit(worker, RLIMIT_NOFILE, (allowed, hard_limit))
        address = ("127.0.0.1", server.port)
        clients = [socket.create_connection(address, TIMEOUT_S) for _ in range(20)]
        for client in clients:
            opened.callback(client.close)
        clients[-1].sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        wait_for(lambda: len(list(files.iterdir())) >= allowed)
        for client in clients[:15]:
            client.close()

        assert read(clients[-1]).startswith(b"HTTP/1.0 200 OK\r\n")
        assert server.list_workers() == {worker}
