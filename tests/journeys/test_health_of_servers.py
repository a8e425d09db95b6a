"""Health checks of real servers while the database hangs, goes away and comes back."""

import json
from contextlib import ExitStack
from http.client import HTTPConnection

import pytest
import requests
from support.locks import held_writes
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import Gunicorn, run_gunicorn
from support.stalled import Stall, stalled_clients
from support.waiting import wait_for
from support.world import SITE, Visitor

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

TRUSTING = "--worker-class=tests.support.limited_workers.TrustingWorker"


def ask(server: Gunicorn, path: str) -> str:
    return requests.get(server.url + path, timeout=TIMEOUT_S).text


def wait_until_ready(server: Gunicorn, is_ready: bool = True) -> None:
    wait_for(lambda: ask(server, "/readyz") == ("yes\n" if is_ready else "no\n"))


def test_health_checks_are_answered_while_all_threads_and_places_wait_for_the_database(
    database_url,
):
    environ = make_environ(database_url)
    with (
        run_gunicorn(environ, TRUSTING, "--worker-connections=8") as server,
        ExitStack() as opened,
        ExitStack() as lock,
    ):
        wait_until_ready(server)
        page = RemotePage(server.url, environ)
        bodies = [json.dumps(page.draft(Visitor())) for _ in range(8)]
        lock.enter_context(held_writes(database_url))
        posts = [post(server, page, body) for body in bodies]
        ask(server, "/healthz")  # once it is answered, all of them have arrived
        opened.enter_context(stalled_clients(server.url, Stall(b"")))

        answers = {path: ask(server, path) for path in ("/healthz", "/readyz")}

        lock.close()
        assert answers == {"/healthz": "yes\n", "/readyz": "yes\n"}
        # A check may take the place of the request that has waited longest for a thread.
        statuses = [client.getresponse().status for client in posts]
        assert statuses.count(201) >= len(posts) - 3
        assert set(statuses) <= {201, 503}
        for client in posts:
            client.close()


def post(server: Gunicorn, page: RemotePage, body: str) -> HTTPConnection:
    """Send a submission, without waiting for the answer."""
    client = HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)
    headers = {"Authorization": f"Bearer {page.public_key}", "Origin": SITE}
    headers["Content-Type"] = "application/json"
    client.request("POST", "/api/embed/submissions", body, headers)
    return client
