"""A service that exports metrics, and its worker processes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from embed.monitoring.endpoint import find_folder
from prometheus_client.multiprocess import MultiProcessCollector
from support.remote import RemotePage, make_environ, run_here
from support.scrapes import Scraped, scrape, scrape_until
from support.servers import Gunicorn, find_free_port, run_gunicorn

READ = "/embed/api/tracking/<page_id>"


class Metered:
    """A running service with a page."""

    def __init__(self, server: Gunicorn, environ: dict[str, str], port: int) -> None:
        self.server = server
        self.environ = environ
        self.port = port  # of the metrics
        self.folder = find_folder("127.0.0.1", port)
        self.page = RemotePage(server.url, environ)

    def scrape(self) -> Scraped:
        return scrape(self.port)

    def scrape_all(self) -> Scraped:
        """Scrape until the database has answered in time, which a busy machine may prevent."""
        asked = {"embed_submissions_pending", "embed_balances_age_seconds"}
        return scrape_until(self.port, lambda found: asked <= found.names)

    def count_reads(self) -> float:
        return self.scrape().sum("embed_http_requests_total", route=READ, code="200")

    def read(self, times: int = 1) -> None:
        for _ in range(times):
            assert self.page.read().status_code == 200

    def count_reads_by_slot(self) -> list[float]:
        """Return what each worker has counted of reads."""
        counts = []
        for file in sorted(self.folder.glob("counter_*.db")):
            (found,) = [
                sum(sample.value for sample in metric.samples if sample.labels["route"] == READ)
                for metric in MultiProcessCollector.merge([str(file)])
                if metric.name == "embed_http_requests"
            ] or [0.0]
            counts.append(found)
        return counts

    def list_workers(self) -> set[int]:
        """Return the process ids of the workers that live and have begun their work."""
        status: Any = run_here("worker", "status", "--json", environ=self.environ)
        begun = {one["processId"] for one in json.loads(status.stdout)["processes"]}
        master = self.server.pid
        children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
        return begun & set(map(int, children))


@contextmanager
def run_metered(database_url: str, *arguments: str, **variables: str) -> Iterator[Metered]:
    port = find_free_port()
    environ = make_environ(database_url, METRICS_BIND=f"127.0.0.1:{port}", **variables)
    with run_gunicorn(environ, *arguments) as server:
        yield Metered(server, environ, port)
