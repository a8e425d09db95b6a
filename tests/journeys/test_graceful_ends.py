"""Processes that end, because they are stopped or replaced, finish what they have begun."""

import json
import os
import select
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from threading import Event, Thread

import pytest
import requests
from flask import Response
from support.http_client import HttpAnswer
from support.locks import held_writes
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import Gunicorn, is_listening, run_gunicorn
from support.stalled import WALLETS, add_wallets, list_stalls, stalled_clients
from support.waiting import wait_for
from support.world import SITE, Visitor

pytestmark = pytest.mark.slow

CLIENTS = 2  # of each kind
# Nothing here may be ended by it.
PATIENT = f"--graceful-timeout={2 * TIMEOUT_S}"


class KeptAlivePage(RemotePage):
    """Sends all requests over one connection, as long as the server keeps it open."""

    def send(self, method: str, path: str, *, headers, **arguments) -> Response:
        if "_session" not in vars(self):
            self._session = requests.Session()
        answer = self._session.request(
            method, self.server_url + path, headers=headers, timeout=TIMEOUT_S, **arguments
        )
        return HttpAnswer(answer.content, answer.status_code, answer.headers.items())


@contextmanager
def load(server: Gunicorn, environ: dict[str, str]) -> Iterator[None]:
    """Submit from several clients; afterwards, every submission is stored once and confirmed."""
    is_over = Event()

    def submit(page: RemotePage) -> list[str]:
        confirmed = []
        while not is_over.is_set():
            answer = page.submit(Visitor())
            assert answer.status_code == 201, answer.text
            confirmed.append(answer.json["submissionId"])
        return confirmed

    kinds = [RemotePage, KeptAlivePage]
    pages = [kind(server.url, environ, "--auto-approve") for kind in kinds * CLIENTS]
    with ThreadPoolExecutor(len(pages)) as pool:
        clients = [pool.submit(submit, page) for page in pages]
        try:
            yield
        finally:
            is_over.set()
    for page, client in zip(pages, clients, strict=True):
        stored = [one["id"] for one in page.list_submissions()]
        assert sorted(client.result()) == sorted(stored)
        assert stored


def test_processes_that_are_replaced_after_some_requests_or_by_a_reload_lose_none(
    database_url, redis_url
):
    environ = make_environ(database_url, RATELIMIT_STORAGE_URI=redis_url)
    options = ("--workers", "3", "--max-requests", "15", "--max-requests-jitter", "15")
    with run_gunicorn(environ, *options) as server:
        first = server.wait_for_workers(3)
        with load(server, environ):
            seen: set[int] = set(first)
            deadline = time.monotonic() + 2 * TIMEOUT_S
            while len(seen) < 9 or first & server.list_workers():
                assert time.monotonic() < deadline, seen
                seen |= server.list_workers()
                time.sleep(0.02)
            os.kill(server.pid, signal.SIGHUP)
            wait_for(lambda: not seen & server.list_workers())


@contextmanager
def stopping(server: Gunicorn) -> Iterator[None]:
    """Stop the server; yield when it takes no more connections, and wait until it has ended."""
    thread = Thread(target=server.stop)
    thread.start()
    wait_for(lambda: not is_listening(server.port))
    yield
    thread.join(TIMEOUT_S)
    assert not thread.is_alive()


def connect(server: Gunicorn) -> HTTPConnection:
    """Return a connection that the server has accepted and keeps."""
    client = HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)
    client.request("GET", "/healthz")
    assert client.getresponse().read() == b"yes\n"
    return client


def test_server_that_stops_finishes_the_request_that_it_has_begun(database_url):
    environ = make_environ(database_url)
    worker = "--worker-class=tests.support.limited_workers.TrustingWorker"
    with run_gunicorn(environ, PATIENT, worker) as server, closing(connect(server)) as client:
        page = RemotePage(server.url, environ)
        body = json.dumps(page.draft(Visitor()))
        headers = {"Authorization": f"Bearer {page.public_key}", "Origin": SITE}
        headers["Content-Type"] = "application/json"
        with ExitStack() as lock:
            lock.enter_context(held_writes(database_url))
            client.request("POST", "/api/embed/submissions", body, headers)
            with stopping(server):  # it hears so while it waits for the lock
                assert select.select([client.sock], [], [], 0.0)[0] == []
                lock.close()
        answer = client.getresponse()
        assert answer.status == 201
        stored = [one["id"] for one in page.list_submissions()]
        assert stored == [json.loads(answer.read())["submissionId"]]


def test_server_that_stops_sends_the_whole_answer_to_a_slow_reader(database_url):
    environ = make_environ(database_url)
    worker = "--worker-class=tests.support.limited_workers.PatientWorker"
    with run_gunicorn(environ, PATIENT, worker) as server:
        page = RemotePage(server.url, environ)
        add_wallets(database_url, page.page_id)
        read = list_stalls(page)["that never read"]
        with stalled_clients(server.url, read, count=1) as (client,):
            client.settimeout(TIMEOUT_S)
            begun = client.recv(1)
            with stopping(server):
                rest = client.makefile("rb").read()
        head, _, body = (begun + rest).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert len(json.loads(body)["wallets"]) == WALLETS
