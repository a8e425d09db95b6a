"""A body that isn't whole never reaches the app, so an owner's form does nothing by halves."""

import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from support.caddy import find_caddy, make_caddy_environ
from support.http_client import HttpClient
from support.owner_browser import PASSWORD, find_token, submit
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import Server, find_free_port, is_listening, run_gunicorn, wait_until
from support.waiting import wait_for
from support.world import Visitor

pytestmark = pytest.mark.slow

CHUNKED = b"Transfer-Encoding: chunked"
REFUSED = b"HTTP/1.1 400 Bad Request\r\n"


@dataclass
class Service:
    """A service with a signed-in owner and a queue of three submissions."""

    port: int
    page: RemotePage
    browser: HttpClient
    cookies: dict[str, str]
    log: Path

    def make_form(self, framing: bytes = b"") -> tuple[bytes, bytes]:
        """Return the head and body of a form that approves all three, as a browser sends it."""
        token = find_token(self.browser.get("/dashboard/account").text)
        ids = [one["id"] for one in self.page.list_submissions()]
        fields = {"csrf_token": token, "decision": "approve", "ids": ids}
        body = urlencode(fields, doseq=True).encode()
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [
            f"POST /dashboard/pages/{self.page.page_id}/queue/decide HTTP/1.1".encode(),
            b"Host: localhost",
            b"Cookie: " + cookies.encode(),
            b"Content-Type: application/x-www-form-urlencoded",
            b"Connection: close",
            framing or b"Content-Length: %d" % len(body),
        ]
        return b"\r\n".join(lines) + b"\r\n\r\n", body

    def list_statuses(self) -> list[str]:
        return [one["status"] for one in self.page.list_submissions()]


@pytest.fixture(scope="module")
def service(make_sqlite, tmp_path_factory) -> Iterator[Service]:
    log = tmp_path_factory.mktemp("service") / "log"
    environ = make_environ(make_sqlite())
    cookies: dict[str, str] = {}
    with run_gunicorn(environ, f"--error-logfile={log}") as server:
        page, browser = RemotePage(server.url, environ), HttpClient(server.url, cookies=cookies)
        for _ in range(3):
            assert page.submit(Visitor()).status_code == 201
        link = page.command("owners", "create", "owner@example.com")["passwordUrl"]
        page.command("pages", "update", page.page_id, "--owner", "owner@example.com")
        assert submit(browser, urlsplit(link).path, password=PASSWORD).status_code == 303
        yield Service(server.port, page, browser, cookies, log)


def send(port: int, data: bytes, *, ends: bool = True) -> bytes:
    """Send bytes and, unless more could follow, the end; return the whole answer."""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as client:
        client.sendall(data)
        if ends:
            client.shutdown(socket.SHUT_WR)
        with client.makefile("rb") as answer:
            return answer.read()


def in_chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def cut_after(count: int, body: bytes) -> bytes:
    """Return a form up to one of its ids."""
    return b"&ids=".join(body.split(b"&ids=")[: 1 + count])


def test_form_that_ends_before_its_length_is_refused(service):
    head, body = service.make_form()

    assert send(service.port, head + cut_after(1, body)).startswith(REFUSED)
    assert service.list_statuses() == ["pending"] * 3


@pytest.mark.parametrize("rest", [b"", b"ff\r\n&ids="])
def test_chunked_form_that_ends_before_its_last_chunk_is_refused(rest, service):
    head, body = service.make_form(CHUNKED)
    sent = head + in_chunk(cut_after(1, body)) + rest

    assert send(service.port, sent).startswith(REFUSED)
    assert service.list_statuses() == ["pending"] * 3


def test_form_that_is_cut_off_before_caddy_is_refused(service, tmp_path):
    """Caddy passes a body on as it arrives."""
    port = find_free_port()
    addresses = f"--from=http://:{port}", f"--to=127.0.0.1:{service.port}"
    command = [find_caddy(), "reverse-proxy", *addresses]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    caddy = Server(command, env=make_caddy_environ(tmp_path), **quiet)
    wait_until(lambda: is_listening(port), caddy.process)
    head, body = service.make_form(CHUNKED)
    before = service.log.read_text().count("IncompleteBody")
    try:
        send(port, head + in_chunk(cut_after(1, body)))
        wait_for(lambda: service.log.read_text().count("IncompleteBody") > before)
    finally:
        caddy.end(caddy.process.terminate)

    assert service.list_statuses() == ["pending"] * 3


def test_whole_form_in_chunks_is_read(service):
    head, body = service.make_form(CHUNKED)
    chunks = b"".join(in_chunk(body[at : at + 50]) for at in range(0, len(body), 50))
    last = b"0;name=value\r\nChecksum: value\r\n\r\n"

    assert send(service.port, head + chunks + last, ends=False).startswith(b"HTTP/1.1 303 ")
    assert service.list_statuses() == ["approved"] * 3
