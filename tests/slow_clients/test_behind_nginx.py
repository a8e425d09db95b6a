"""The service behind nginx, as docs/operating.md has it."""

from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
import requests
from support.nginx import run_nginx
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import find_free_port, provide, run_gunicorn
from support.stalled import add_wallets, assert_served, list_stalls, stalled_clients
from support.world import SITE

pytestmark = pytest.mark.slow

MEBIBYTE = 1024 * 1024
LIMIT_PER_IP = 8


@pytest.fixture(scope="module")
def environ(make_sqlite):
    return make_environ(make_sqlite(), TRUSTED_PROXIES="1")


@pytest.fixture(scope="module")
def page(environ):
    """A large page on gunicorn's own worker, which stalled clients would stop without nginx."""
    with run_gunicorn(environ, "--worker-class=gthread") as server:
        page = RemotePage(server.url, environ)
        add_wallets(environ["DATABASE_URL"], page.page_id)
        for page.server_url in provide(partial(run_nginx, server.port)):
            yield page


@pytest.fixture(scope="module")
def small_page(page, environ):
    return RemotePage(page.server_url, environ)


@pytest.fixture(scope="module")
def limited_page(make_sqlite):
    """A page of a service that believes one proxy, and allows an address few requests."""
    environ = make_environ(
        make_sqlite(),
        TRUSTED_PROXIES="1",
        LIMIT_PER_IP=f"{LIMIT_PER_IP}/hour",
    )
    with run_gunicorn(environ) as server:
        page = RemotePage(server.url, environ)
        for page.server_url in provide(partial(run_nginx, server.port)):
            yield page


def read_from(page: RemotePage, address: str, forged_address: str) -> int:
    """Read from an address of this machine that claims to be another; return the status."""
    server = urlsplit(page.server_url)
    with closing(
        HTTPConnection(server.hostname, server.port, TIMEOUT_S, source_address=(address, 0))
    ) as client:
        client.request(
            "GET",
            f"/api/embed/tracking/{page.page_id}",
            headers={
                "Authorization": f"Bearer {page.public_key}",
                "Origin": SITE,
                "X-Forwarded-For": forged_address,
            },
        )
        return client.getresponse().status


# All kinds: test_stalled_clients.py.
@pytest.mark.parametrize(
    "kind", ["that send one byte", "in a body", "that trickle a body", "that never read many"]
)
def test_others_are_served_while_40_clients_stall(kind, page, small_page):
    with stalled_clients(page.server_url, list_stalls(page)[kind]):
        assert_served(small_page)


def test_limit_counts_the_address_that_nginx_sees_whatever_the_client_claims(limited_page):
    forged = [f"198.51.100.{number}" for number in range(LIMIT_PER_IP + 2)]

    statuses = [read_from(limited_page, "127.0.0.1", claim) for claim in forged]

    assert statuses == [200] * LIMIT_PER_IP + [429] * 2
    assert read_from(limited_page, "127.0.0.2", "127.0.0.1") == 200


@pytest.mark.parametrize(
    ("size", "is_passed_on"),
    [(17 * MEBIBYTE, True), (18 * MEBIBYTE - 1000, True), (19 * MEBIBYTE, False)],
)
def test_form_of_17_mib_gets_the_answer_of_the_service(size, is_passed_on, limited_page):
    form = {"email": "x" * (size - len("email="))}

    answer = requests.post(
        f"{limited_page.server_url}/dashboard/sign-in", data=form, timeout=TIMEOUT_S
    )

    assert 400 <= answer.status_code < 500
    assert ("Content-Security-Policy" in answer.headers) is is_passed_on


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/api/embed/tracking/x", 403, None),
        ("/embed/api/siws/nonce", 403, None),
        ("/embed/tracking/x?key=y", 301, "https://embed.example.com/embed/tracking/x?key=y"),
        ("/dashboard/", 301, "https://embed.example.com/dashboard/"),
    ],
)
def test_pages_without_https_are_redirected_and_api_calls_refused(path, status, location):
    http_port = find_free_port()
    for _ in provide(partial(run_nginx, find_free_port(), http_port=http_port)):
        answer = requests.get(
            f"http://127.0.0.1:{http_port}{path}",
            headers={"Host": "embed.example.com"},
            allow_redirects=False,
            timeout=TIMEOUT_S,
        )

        assert answer.status_code == status
        assert answer.headers.get("Location") == location
