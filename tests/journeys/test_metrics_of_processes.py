"""METRICS_BIND: sums over all processes, whoever of them counts, answers or ends."""

import os
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import requests
from support.remote import TIMEOUT_S, RemotePage, at_once, make_environ
from support.scrapes import Scraped, scrape, scrape_until
from support.servers import (
    PROJECT_DIR,
    find_free_port,
    open_postgres,
    open_valkey,
    provide,
    run_gunicorn,
)
from support.waiting import LIMIT_S, wait_for

pytestmark = pytest.mark.slow

READ = "/embed/api/tracking/<page_id>"


class Metered:
    """A running service with a page."""

    def __init__(self, server, environ: dict[str, str], port: int) -> None:
        self.server = server
        self.port = port  # of the metrics
        self.page = RemotePage(server.url, environ)
        self.reads = 0

    def read(self, times: int = 1) -> None:
        self.reads += times
        for _ in range(times):
            assert self.page.read().status_code == 200

    def scrape_all(self) -> Scraped:
        return scrape_until(self.port, lambda found: found.sum("embed_database_up"))

    def check_count(self) -> None:
        """Some process answers, and none of what others counted is missing."""
        scrape_until(self.port, lambda found: count_reads(found) == self.reads)


def count_reads(found: Scraped) -> float:
    return found.sum("embed_http_requests_total", route=READ, code="200")


@contextmanager
def run_metered(database_url: str, *arguments: str, **variables: str) -> Iterator[Metered]:
    port = find_free_port()
    environ = make_environ(database_url, METRICS_BIND=f"127.0.0.1:{port}", **variables)
    with run_gunicorn(environ, *arguments) as server:
        wait_for(lambda: is_scraped(port))
        yield Metered(server, environ, port)


def is_scraped(port: int) -> bool:
    try:
        return scrape(port).sum("embed_build_info") == 1
    except requests.RequestException:
        return False


def list_folders() -> set[Path]:
    return set(Path("/dev/shm").glob("embed-metrics-*"))  # noqa: S108


def test_counts_of_killed_and_reloaded_processes_are_kept_and_others_answer(make_sqlite, redis_url):
    before = list_folders()
    with run_metered(make_sqlite(), "--workers", "2", RATELIMIT_STORAGE_URI=redis_url) as metered:
        for _ in range(8):
            at_once([metered.page.read] * 8)
        metered.reads = 64
        metered.check_count()
        for worker in metered.server.wait_for_workers(2):
            os.kill(worker, signal.SIGKILL)
            wait_for(lambda: is_scraped(metered.port))
            metered.read(5)
            metered.check_count()

        old = set(metered.server.wait_for_workers(2))
        os.kill(metered.server.pid, signal.SIGHUP)
        wait_for(lambda: not old & set(metered.server.list_workers()))
        wait_for(lambda: is_scraped(metered.port))
        metered.read(5)
        metered.check_count()
    assert list_folders() <= before


def test_service_starts_without_metrics_while_their_address_is_taken(make_sqlite, capfd):
    with socket.create_server(("127.0.0.1", 0)) as other:
        bind = f"127.0.0.1:{other.getsockname()[1]}"
        with run_gunicorn(make_environ(make_sqlite(), METRICS_BIND=bind)) as server:
            assert requests.get(f"{server.url}/healthz", timeout=LIMIT_S).status_code == 200
            other.close()
            wait_for(lambda: is_scraped(int(bind.split(":")[1])))

    said = f"METRICS_BIND={bind} cannot be used: Address already in use."
    assert capfd.readouterr().err.count(said) == 1


@pytest.fixture
def postgres():
    yield from provide(open_postgres)


@pytest.fixture
def redis():
    yield from provide(open_valkey)


def test_scrape_and_readiness_tell_that_database_or_shared_limits_are_away(postgres, redis):
    uri = f"redis+unix://{redis.path}"
    url = postgres.url.format(name="postgres")
    limits = {"RATELIMIT_STORAGE_URI": uri, "LIMIT_PER_IP": "100/minute"}
    with run_metered(url, **limits) as metered:
        metered.read(3)
        assert metered.scrape_all().sum("embed_rate_limit_fallback") == 0

        redis.stop()
        metered.read(1)
        found = scrape(metered.port)
        assert found.sum("embed_rate_limit_fallback") == 1
        postgres.stop()
        found = scrape(metered.port)
        assert (found.sum("embed_database_up"), count_reads(found)) == (0, 4)
        assert "embed_submissions_pending" not in found.names
        ask = partial(requests.get, f"{metered.server.url}/readyz", timeout=TIMEOUT_S)
        wait_for(lambda: ask().text == "no\n")

        redis.start()
        postgres.start()
        metered.scrape_all()
        wait_for(lambda: ask().text == "yes\n")


def test_names_and_labels_are_those_that_are_documented(make_sqlite):
    with run_metered(make_sqlite()) as metered:
        metered.read()
        metered.page.read(key="svc_pub_" + "0" * 32)
        scraped = metered.scrape_all()
        for path in ("/metrics", "/api/metrics", "/embed/metrics"):
            assert requests.get(metered.server.url + path, timeout=TIMEOUT_S).status_code == 404

    documentation = (PROJECT_DIR / "docs" / "monitoring.md").read_text()
    documented = dict(re.findall(r"^\| `(embed_\w+)` \|(.*?)\|", documentation, re.MULTILINE))
    assert set(documented) == scraped.names
    for family in scraped.families:
        if family.type != "gauge":
            labels = {label for sample in family.samples for label in sample.labels} - {"le"}
            row = documented.get(f"{family.name}_total") or documented[family.name]
            assert set(re.findall(r"`(\w+)`", row)) == labels, family.name
