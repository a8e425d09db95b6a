"""The address of metrics, and the folder of counts: one slot for each living process."""

import multiprocessing
import shutil
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
import requests
from prometheus_client import CollectorRegistry, generate_latest, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from support.scrapes import Scraped
from support.servers import find_free_port

from embed import metrics
from embed.monitoring import endpoint
from embed.monitoring.endpoint import (
    MetricsEndpoint,
    begin_counting,
    explain,
    find_folder,
    make_folder,
    open_endpoint,
)
from embed.server.metrics import find_free_slot
from embed.settings import Settings

pytestmark = pytest.mark.slow

SECRET = {"SECRET_KEY": "a secret key for the metrics' tests"}


def make_settings(bind: str) -> tuple[tuple[str, int], Settings]:
    settings = Settings.from_environ(SECRET | {"METRICS_BIND": bind})
    return settings.metrics_bind, settings


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(endpoint, "_PAUSE_S", 0.0)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_address_may_be_of_either_kind(host):
    port = find_free_port()
    opened = open_endpoint(*make_settings(f"{host}:{port}"))
    folder = find_folder(host.strip("[]"), port)

    assert folder.exists()
    opened.close()
    assert not folder.exists()


def test_address_that_is_taken_is_told():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        bind, settings = make_settings(f"127.0.0.1:{port}")
        with pytest.raises(OSError, match="Address already in use") as told:
            open_endpoint(bind, settings)

    assert explain("METRICS_BIND", bind, told.value) == (
        f"METRICS_BIND=127.0.0.1:{port} cannot be used: Address already in use."
    )


def test_address_that_a_predecessor_gives_up_soon_is_waited_for(monkeypatch):
    other = socket.create_server(("127.0.0.1", 0))
    port = other.getsockname()[1]
    monkeypatch.setattr(endpoint.time, "sleep", lambda _: other.close())

    open_endpoint(*make_settings(f"127.0.0.1:{port}")).close()


def test_port_of_the_service_itself_is_refused():
    with pytest.raises(OSError, match="the service itself has this port"):
        open_endpoint(*make_settings("127.0.0.1:9100"), other_ports=[8000, 9100])


@pytest.mark.parametrize(
    ("used", "free"), [([], 0), ([0], 1), ([1], 0), ([0, 1, 3], 2), ([2, 0, 1], 3)]
)
def test_slot_is_the_first_that_no_living_process_has(used, free):
    assert find_free_slot(used) == free


class SlowGauge(Collector):
    """Is collected only when the test says so."""

    def __init__(self) -> None:
        self.is_asked, self.may_answer = Event(), Event()

    def describe(self) -> list[GaugeMetricFamily]:
        return []

    def collect(self) -> list[GaugeMetricFamily]:
        self.is_asked.set()
        assert self.may_answer.wait(10)
        return [GaugeMetricFamily("slow", "Slow.", value=1)]


def test_process_that_ends_finishes_the_scrape_that_it_answers(tmp_path, monkeypatch):
    monkeypatch.setattr(endpoint, "begin_counting", lambda *_: None)
    gauge, registry = SlowGauge(), CollectorRegistry()
    registry.register(gauge)
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    opened = MetricsEndpoint(listening, tmp_path, registry)
    opened.start(slot=0)
    with ThreadPoolExecutor() as pool:
        scrape = pool.submit(requests.get, url, timeout=10)
        assert gauge.is_asked.wait(10)
        end = pool.submit(opened.finish)
        gauge.may_answer.set()

        end.result(10)

        assert "slow 1.0" in scrape.result(10).text
    opened.close()


# What is counted there


def count_in_slot(folder: Path, slot: int, times: int) -> None:
    begin_counting(folder, slot)
    for _ in range(times):
        metrics.LIMITED.labels("rate_limit_ip").inc()


def count_all_that_may_happen(folder: Path, routes: list[tuple[str, str]]) -> None:
    begin_counting(folder, 0)
    for route, method in routes:
        metrics.REQUEST_SECONDS.labels(route, method).observe(1)
        for code in (200, 303, 304, 400, 401, 403, 404, 409, 422, 429, 500, 503):
            metrics.REQUESTS.labels(route, method, str(code)).inc()


def run(count, *arguments) -> None:
    """Count in a process of its own, which then ends."""
    process = multiprocessing.get_context("spawn").Process(target=count, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0


def read(folder: Path) -> Scraped:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))
    return Scraped(generate_latest(registry).decode())


def test_processes_are_added_up_and_the_next_in_a_slot_goes_on(tmp_path):
    run(count_in_slot, tmp_path, 0, 3)
    run(count_in_slot, tmp_path, 1, 4)
    run(count_in_slot, tmp_path, 0, 5)

    assert read(tmp_path).sum("embed_rate_limit_refusals_total") == 12
    assert len(list(tmp_path.iterdir())) == 4


def test_what_may_happen_is_exported_as_zero_from_the_start(tmp_path):
    run(count_in_slot, tmp_path, 0, 0)

    found = read(tmp_path)
    assert "embed_rate_limit_storage_failures_total" in found.names
    for name, count in [("rate_limit_refusals", 4), ("submissions", 8), ("deliveries", 6)]:
        series = [one for one in found.samples if one.name == f"embed_{name}_total"]
        assert [one.value for one in series] == [0] * count


@pytest.mark.databases("sqlite")
def test_files_need_no_more_space_however_much_is_counted(app, tmp_path):
    def list_sizes() -> dict[str, tuple[int, bool]]:
        found = {path.name: path.stat() for path in tmp_path.glob("*.db")}
        return {
            name: (one.st_size, one.st_blocks * 512 >= one.st_size) for name, one in found.items()
        }

    run(count_in_slot, tmp_path, 0, 0)
    begun = list_sizes()
    rules = app.url_map.iter_rules()
    routes = [(rule.rule, method) for rule in rules for method in rule.methods]
    run(count_all_that_may_happen, tmp_path, routes)

    assert read(tmp_path).sum("embed_http_requests_total") > 1000
    assert list_sizes() == begun
    assert len(begun) == 2
    assert all(is_reserved for _, is_reserved in begun.values())


def test_files_of_a_process_that_has_counted_nothing_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")  # as it was, in the end
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    monkeypatch.setattr(endpoint, "begin_known_series", lambda: None)
    for _ in range(2):  # a process and its successor
        begin_counting(tmp_path, 0)

    assert len(list(tmp_path.glob("*.db"))) == 2
    assert read(tmp_path).samples == []


def test_folder_is_private_and_forgets_what_a_killed_predecessor_counted():
    host, port = "127.0.0.1", 1  # at which nobody listens
    try:
        (make_folder(host, port) / "counter_7.db").touch()
        again = make_folder(host, port)

        assert again == find_folder(host, port)
        assert list(again.iterdir()) == []
        assert again.stat().st_mode & 0o777 == 0o700
    finally:
        shutil.rmtree(find_folder(host, port))


def test_folder_that_somebody_else_has_put_there_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(endpoint, "_MEMORY_DIR", tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    find_folder("127.0.0.1", 1).symlink_to(elsewhere)

    with pytest.raises(FileExistsError):
        make_folder("127.0.0.1", 1)
