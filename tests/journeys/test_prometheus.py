"""A real Prometheus scrapes a real service."""

import json
import shutil
import subprocess
import time
from contextlib import contextmanager

import pytest
import requests
from metered import Metered, run_metered
from support.absence import skip_or_fail
from support.dashboard_file import list_expressions
from support.remote import TIMEOUT_S
from support.servers import PROJECT_DIR, Server, find_free_port, is_listening, wait_until
from support.waiting import LIMIT_S
from support.world import Visitor

pytestmark = pytest.mark.slow


class Prometheus:
    def __init__(self, port: int) -> None:
        self._port = port
        self._url = f"http://127.0.0.1:{port}/"

    def is_ready(self) -> bool:
        """Tell whether it answers questions, which it does some time after it listens."""
        if not is_listening(self._port):
            return False
        return requests.get(f"{self._url}-/ready", timeout=TIMEOUT_S).status_code == 200

    def ask(self, path: str, **parameters: str):
        answer = requests.get(f"{self._url}api/v1/{path}", params=parameters, timeout=TIMEOUT_S)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def query(self, expression: str) -> list:
        return self.ask("query", query=expression)["result"]


@contextmanager
def run_prometheus(folder, metered: Metered):
    if shutil.which("prometheus") is None:
        skip_or_fail("Prometheus (apt install prometheus)")
    port = find_free_port()
    target = {"targets": [f"127.0.0.1:{metered.port}"]}
    configuration = folder / "prometheus.json"  # which is YAML, too
    configuration.write_text(
        json.dumps(
            {
                "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
                "rule_files": [str(PROJECT_DIR / "deploy" / "prometheus-rules.yml")],
                "scrape_configs": [{"job_name": "embed", "static_configs": [target]}],
            }
        )
    )
    server = Server(
        [
            "prometheus",
            f"--config.file={configuration}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        prometheus = Prometheus(port)
        wait_until(prometheus.is_ready, server.process)
        yield prometheus
    finally:
        server.end(server.process.terminate)


@pytest.fixture
def metered(make_sqlite):
    with run_metered(make_sqlite()) as found:
        yield found


def test_every_panel_of_the_dashboard_has_something_to_show(metered: Metered, tmp_path):
    empty = ['up{job="embed"} == 1', *list_expressions(interval="1m")]
    with run_prometheus(tmp_path, metered) as prometheus:
        deadline = time.monotonic() + LIMIT_S
        while empty:
            assert time.monotonic() < deadline, empty
            metered.read()
            metered.page.read(key="svc_pub_" + "0" * 32)
            assert metered.page.submit(Visitor()).status_code == 201
            empty = [one for one in empty if not prometheus.query(one)]
            time.sleep(1)  # until the next scrape; else the queue would be full before many of them

        groups = prometheus.ask("rules")["groups"]
        assert {rule["health"] for rule in groups[0]["rules"]} <= {"ok", "unknown"}
