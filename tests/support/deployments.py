"""The grown form of the service: two instances of two processes each, and one `flask worker`."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from support.servers import PROJECT_DIR, Gunicorn, Server, clean_environ, run_gunicorn


@dataclass(frozen=True)
class Deployment:
    """What serves, and with which settings."""

    environ: dict[str, str]
    instances: list[Gunicorn]

    @property
    def urls(self) -> list[str]:
        return [instance.url for instance in self.instances]


@contextmanager
def run_grown(environ: dict[str, str], redis_url: str) -> Iterator[Deployment]:
    shared = environ | {
        "RATELIMIT_STORAGE_URI": redis_url,
        "BACKGROUND": "worker",
        "WEB_CONCURRENCY": "2",
    }
    with ExitStack() as running:
        instances = [running.enter_context(run_gunicorn(shared)) for _ in range(2)]
        worker = Server(
            [sys.executable, "-m", "flask", "worker"], cwd=PROJECT_DIR, env=clean_environ() | shared
        )
        running.callback(worker.end, worker.process.terminate)
        yield Deployment(shared, instances)
