"""METRICS_BIND: who listens there, what is answered, and what is away meanwhile."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import requests
from metered import READ, Metered, run_metered
from support.dashboard_file import list_expressions
from support.receivers import run_http_receiver
from support.remote import TIMEOUT_S, make_environ
from support.scrapes import scrape, scrape_until
from support.servers import (
    PROJECT_DIR,
    Server,
    clean_environ,
    find_free_port,
    is_listening,
    open_postgres,
    open_valkey,
    provide,
    run_flask,
    run_gunicorn,
    wait_until,
)
from support.waiting import LIMIT_S, wait_for
from support.world import Visitor

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def metered(make_sqlite):
    with run_metered(make_sqlite()) as found:
        yield found


@contextmanager
def run_worker(environ: dict[str, str]) -> Iterator[Server]:
    worker = Server(
        [sys.executable, "-m", "flask", "worker"],
        cwd=PROJECT_DIR,
        env=clean_environ() | environ,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield worker
    finally:
        worker.end(worker.process.terminate)


# What is answered


def test_metrics_are_answered_at_their_own_address_only(metered: Metered):
    at_public = [
        requests.get(f"{metered.server.url}{path}", timeout=TIMEOUT_S).status_code
        for path in ("/metrics", "/metrics/", "/api/metrics", "/embed/metrics")
    ]
    other = f"http://127.0.0.1:{metered.port}"
    at_other = [requests.get(other + path, timeout=TIMEOUT_S).text for path in ("/", "/dashboard/")]
    refused = [
        requests.request(method, f"{other}/metrics", timeout=TIMEOUT_S).status_code
        for method in ("POST", "DELETE", "OPTIONS")
    ]

    assert set(at_public) == {404}
    assert [text for text in at_other if not text.startswith("# HELP embed_")] == []
    assert set(refused) == {501}
    assert metered.scrape_all().sum("embed_database_up") == 1


def test_answer_is_prometheus_text_and_can_be_repeated(metered: Metered):
    answer = requests.get(f"http://127.0.0.1:{metered.port}/metrics?x=1", timeout=TIMEOUT_S)

    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    assert metered.scrape_all().names == metered.scrape_all().names


def test_nobody_is_named_after_the_whole_way(metered: Metered):
    page, visitor = metered.page, Visitor()
    page.open_widget(visitor)
    submitted = page.submit(visitor, "Ann Example").json["submissionId"]
    page.command("submissions", "approve", submitted)
    page.read()
    page.list_own(visitor)
    page.show_records(visitor)
    page.read(key="svc_pub_" + "0" * 32)
    requests.get(f"{metered.server.url}/{visitor.address}", timeout=TIMEOUT_S)

    scraped = metered.scrape_all()
    text = scraped.text

    known = [page.page_id, page.public_key[:12], visitor.address, visitor.cookie, submitted]
    assert [one for one in [*known, "Ann", "127.0.0.1", "site.example"] if one in text] == []
    assert re.findall(r"[0-9A-Za-z]{20,}", scraped.text_without_values) == []
    assert len(text.splitlines()) < 2_000


# Clients that stall


def test_clients_that_stall_hold_up_neither_requests_nor_scrapes_for_long(metered: Metered):
    with ExitStack() as stack:
        for number in range(40):
            client = socket.create_connection(("127.0.0.1", metered.port), timeout=LIMIT_S)
            stack.enter_context(client)
            client.sendall((b"", b"GET /met", b"GET /metrics HTTP/1.1\r\nHost:")[number % 3])
        metered.read(5)

        wait_for(lambda: is_scraped(metered.port))


def is_scraped(port: int) -> bool:
    try:
        return scrape(port).sum("embed_database_up") == 1
    except requests.RequestException:
        return False


def test_nonsense_is_answered_or_cut_off(make_sqlite, capfd):
    with run_metered(make_sqlite()) as metered:
        for nonsense in (
            *(b"\0\xff\r\n\r\n", b"GET\r\n\r\n"),
            *(b"GET " + b"a" * 70_000, b"\r\n" * 50),
        ):
            with socket.create_connection(("127.0.0.1", metered.port), timeout=LIMIT_S) as client:
                client.sendall(nonsense)
                client.shutdown(socket.SHUT_WR)
                assert b"embed_" not in client.recv(1000)

        assert is_scraped(metered.port)
    assert "Traceback" not in capfd.readouterr().err


# Addresses that cannot be had


def test_service_starts_without_metrics_if_their_address_is_taken(make_sqlite, capfd):
    with socket.create_server(("127.0.0.1", 0)) as other:
        bind = f"127.0.0.1:{other.getsockname()[1]}"
        with run_gunicorn(make_environ(make_sqlite(), METRICS_BIND=bind)) as server:
            assert requests.get(f"{server.url}/healthz", timeout=LIMIT_S).status_code == 200

    sentence = f"There are no metrics: METRICS_BIND={bind} cannot be used: Address already in use."
    assert capfd.readouterr().err.count(sentence) == 1


def test_service_starts_without_metrics_if_their_port_is_its_own(make_sqlite, capfd):
    bind = f"127.0.0.1:{find_free_port()}"
    environ = make_environ(make_sqlite(), METRICS_BIND=bind)
    with run_gunicorn(environ, "--bind", bind):
        assert requests.get(f"http://{bind}/healthz", timeout=LIMIT_S).status_code == 200

    sentence = f"There are no metrics: METRICS_BIND={bind} cannot be used: Address already in use."
    assert capfd.readouterr().err.count(sentence) == 1


def test_second_gunicorn_that_a_signal_starts_beside_the_first_has_no_metrics(
    make_sqlite, tmp_path
):
    port, log = find_free_port(), tmp_path / "log"
    environ = make_environ(make_sqlite(), METRICS_BIND=f"127.0.0.1:{port}")
    with log.open("w") as said:
        server = Server(
            # By its script: the signal makes gunicorn start that again.
            [Path(sys.executable).with_name("gunicorn"), "app:app", "--bind", "127.0.0.1:0"],
            cwd=PROJECT_DIR,
            env=clean_environ() | environ,
            stderr=said,
        )
    try:
        wait_until(lambda: is_listening(port), server.process)
        assert scrape(port).sum("embed_build_info") == 1
        os.kill(server.process.pid, signal.SIGUSR2)
        wait_for(lambda: "There are no metrics" in log.read_text())
        assert scrape(port).sum("embed_build_info") == 1
    finally:
        server.end(lambda: os.killpg(server.process.pid, signal.SIGKILL))  # both


def is_working(environ: dict[str, str]) -> bool:
    status = run_flask("worker", "status", "--json", environ=environ, check=False)
    return json.loads(status.stdout)["isWorking"]


@pytest.mark.parametrize("first", ["gunicorn", "worker"])
def test_server_and_worker_share_their_settings_and_run_in_either_order(make_sqlite, first):
    """Also if somebody has set one address for both: then one of them has no metrics."""
    bind = f"127.0.0.1:{find_free_port()}"
    both = {"METRICS_BIND": bind, "WORKER_METRICS_BIND": bind, "BACKGROUND": "worker"}
    environ = make_environ(make_sqlite(), **both)
    with ExitStack() as stack:
        if first == "worker":
            worker = stack.enter_context(run_worker(environ))
        server = stack.enter_context(run_gunicorn(environ))
        if first == "gunicorn":
            worker = stack.enter_context(run_worker(environ))
        wait_for(lambda: is_working(environ))
        assert requests.get(f"{server.url}/healthz", timeout=LIMIT_S).status_code == 200
        assert worker.process.poll() is None


# flask worker


def test_worker_counts_its_own_deliveries(make_sqlite):
    port = find_free_port()
    with (
        run_http_receiver() as receiver,
        run_metered(make_sqlite(), BACKGROUND="worker", ALLOW_PRIVATE_TARGETS="1") as metered,
    ):
        metered.page.command("webhooks", "add", metered.page.page_id, receiver.url)
        assert metered.page.submit(Visitor()).status_code == 201
        found = scrape_until(metered.port, lambda one: one.sum("embed_deliveries_waiting"))
        assert found.sum("embed_background_processes") == 0

        apart = {"WORKER_METRICS_BIND": f"127.0.0.1:{port}", "BACKGROUND": ""}
        with run_worker(metered.environ | apart) as worker:
            wait_until(lambda: is_listening(port), worker.process)
            found = scrape_until(port, lambda one: one.by_label("embed_deliveries_total", "result"))
            assert found.by_label("embed_deliveries_total", "result") == {"delivered": 1}
            assert found.sum("embed_http_requests_total") == 0
            scrape_until(port, lambda one: one.sum("embed_background_processes"))
            assert metered.scrape().by_label("embed_deliveries_total", "result") == {}
            assert metered.scrape_all().sum("embed_background_processes") == 1
    assert not is_listening(port)


# What is away


@pytest.fixture
def postgres():
    yield from provide(open_postgres)


@pytest.fixture
def redis():
    yield from provide(open_valkey)


def test_scrape_tells_that_the_database_is_away_or_hangs(postgres):
    with run_metered(postgres.url.format(name="postgres")) as metered:
        metered.read(3)
        assert metered.scrape_all().sum("embed_database_up") == 1

        postmaster = postgres._server.process.pid
        os.kill(postmaster, signal.SIGSTOP)
        try:
            found = metered.scrape()
        finally:
            os.kill(postmaster, signal.SIGCONT)
        assert found.sum("embed_database_up") == 0
        assert found.sum("embed_http_requests_total", route=READ) == 3
        assert "embed_submissions_pending" not in found.names

        postgres.stop()
        assert metered.scrape().sum("embed_database_up") == 0
        postgres.start()
        scrape_until(metered.port, lambda one: one.sum("embed_database_up"))


def test_scrape_tells_that_limits_have_fallen_back(make_sqlite, redis):
    uri = f"redis+unix://{redis.path}"
    with run_metered(make_sqlite(), RATELIMIT_STORAGE_URI=uri) as metered:
        metered.read(1)
        scrape_until(metered.port, lambda one: one.sum("embed_rate_limit_fallback") == 0)

        redis.stop()
        metered.read(1)
        found = metered.scrape()
        assert found.sum("embed_rate_limit_fallback") == 1
        assert found.sum("embed_rate_limit_storage_failures_total") >= 1

        redis.start()
        scrape_until(metered.port, lambda one: one.sum("embed_rate_limit_fallback") == 0)


def test_scrape_waits_for_a_worker_while_none_lives(metered: Metered):
    wait_for(metered.list_workers)
    (worker,) = metered.list_workers()
    os.kill(worker, signal.SIGKILL)

    assert metered.scrape().sum("embed_build_info") == 1


# The names in documents, rules and dashboard


def test_real_run_exports_what_is_documented_and_what_rules_and_dashboard_ask_for(metered: Metered):
    metered.read()
    metered.page.read(key="svc_pub_" + "0" * 32)
    scraped = metered.scrape_all()
    exported = scraped.names

    documentation = (PROJECT_DIR / "docs" / "monitoring.md").read_text()
    documented = dict(re.findall(r"^\| `(embed_\w+)` \|(.*?)\|", documentation, re.MULTILINE))
    assert set(documented) == exported
    counted = [family for family in scraped.families if family.type != "gauge"]
    for family in counted:
        labels = {label for sample in family.samples for label in sample.labels} - {"le"}
        row = documented.get(f"{family.name}_total") or documented[family.name]
        assert set(re.findall(r"`(\w+)`", row)) == labels, family.name

    rules = (PROJECT_DIR / "deploy" / "prometheus-rules.yml").read_text()
    asked = " ".join([rules, *list_expressions()])
    names = {re.sub("_(bucket|sum|count)$", "", name) for name in re.findall(r"embed_\w+", asked)}
    assert len(names) > 15
    assert names <= exported
