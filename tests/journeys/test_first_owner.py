"""FIRST_OWNER makes an account at the first start, and logs one one-time link, once."""

import json
import re
from types import SimpleNamespace

import pytest
import requests
from support.remote import TIMEOUT_S, make_environ
from support.servers import run_flask, run_gunicorn

from embed.server.first_owner import find_url

pytestmark = pytest.mark.slow

EMAIL = "owner@example.com"


@pytest.fixture
def environ(empty_database_url) -> dict[str, str]:
    return make_environ(empty_database_url, FIRST_OWNER=EMAIL, PUBLIC_URL="https://embed.example")


@pytest.fixture
def start(environ, redis_url, tmp_path):
    """Start four processes, wait until they work, stop them; return the links that they logged."""

    def start_once() -> list[str]:
        several = {"WEB_CONCURRENCY": "4", "RATELIMIT_STORAGE_URI": redis_url}
        log = tmp_path / "log"
        options = (f"--error-logfile={log}", "--log-level=critical")  # logged at any level
        with run_gunicorn(environ | several, *options) as server:
            server.wait_for_workers(4)
            server.wait_until(lambda: requests.get(f"{server.url}/readyz", timeout=TIMEOUT_S).ok)
            links = re.findall(r"https://embed\.example(/dashboard/password/\S+)", log.read_text())
            host = {"Host": "embed.example"}
            for link in links:
                shown = requests.get(server.url + link, headers=host, timeout=TIMEOUT_S)
                assert EMAIL in shown.text
        log.write_text("")
        return links

    return start_once


def list_owners(environ) -> list[str]:
    listed = run_flask("owners", "list", "--json", environ=environ).stdout
    return [owner["email"] for owner in json.loads(listed)]


@pytest.mark.databases("sqlite", "postgres")
def test_first_of_all_starts_makes_the_owner_and_logs_one_link(start, environ):
    assert [len(start()), len(start())] == [1, 0]
    assert list_owners(environ) == [EMAIL]


def test_installation_that_has_an_owner_gets_no_other(start, environ):
    run_flask("db", "upgrade", environ=environ)
    run_flask("owners", "create", "someone@example.com", environ=environ)

    assert start() == []
    assert list_owners(environ) == ["someone@example.com"]


def test_link_leads_to_the_port_that_is_bound(environ, tmp_path):
    log = tmp_path / "log"
    del environ["PUBLIC_URL"]
    with run_gunicorn(environ, f"--error-logfile={log}") as server:
        server.wait_until(lambda: requests.get(f"{server.url}/readyz", timeout=TIMEOUT_S).ok)
        (link,) = re.findall(r"http://\S+/dashboard/password/\S+", log.read_text())
        assert link.startswith(server.url)
        assert EMAIL in requests.get(link, timeout=TIMEOUT_S).text


@pytest.mark.parametrize(
    ("bound", "url"),
    [
        (["/run/embed.sock", ("0.0.0.0", 9000)], "http://127.0.0.1:9000"),  # noqa: S104
        ([("192.0.2.7", 80)], "http://192.0.2.7:80"),
        ([("::", 9000, 0, 0)], "http://[::1]:9000"),
        ([("2001:db8::7", 9000, 0, 0)], "http://[2001:db8::7]:9000"),
        (["/run/embed.sock"], None),
    ],
)
def test_address_is_one_that_this_machine_reaches(bound, url):
    listeners = [SimpleNamespace(getsockname=lambda address=each: address) for each in bound]

    assert find_url(listeners) == url
