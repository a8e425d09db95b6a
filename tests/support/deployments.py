"""The service as it is deployed: small on SQLite, or grown on Postgres and Redis behind nginx.

Small: one gunicorn. Grown: nginx in front of two instances of two processes each, and one
`flask worker`; they share a database, Redis and SECRET_KEY.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from support.nginx import run_nginx
from support.servers import PROJECT_DIR, Gunicorn, Server, clean_environ, run_gunicorn

DATABASE_BY_DEPLOYMENT = {"small": "sqlite", "grown": "postgres"}
SERVICE = "app:app"


@dataclass(frozen=True)
class Deployment:
    """What serves, and with which settings."""

    url: str  # where visitors reach it
    environ: dict[str, str]
    instances: list[Gunicorn]


@contextmanager
def run_small(environ: dict[str, str], *, app: str = SERVICE) -> Iterator[Deployment]:
    with run_gunicorn(environ, app=app) as server:
        yield Deployment(server.url, environ, [server])


@contextmanager
def run_grown(
    environ: dict[str, str], redis_url: str, *, app: str = SERVICE
) -> Iterator[Deployment]:
    shared = {
        "RATELIMIT_STORAGE_URI": f"{redis_url}?db=0",
        "BACKGROUND": "worker",
        "TRUSTED_PROXIES": "1",
        "WEB_CONCURRENCY": "2",
    } | environ
    with ExitStack() as running:
        instances = [running.enter_context(run_gunicorn(shared, app=app)) for _ in range(2)]
        if app == SERVICE:
            running.enter_context(_run_worker(shared))
        ports = [instance.port for instance in instances]
        url = running.enter_context(run_nginx(*ports))
        yield Deployment(url, shared, instances)


@contextmanager
def _run_worker(environ: dict[str, str]) -> Iterator[None]:
    worker = Server(
        [sys.executable, "-m", "flask", "worker"],
        cwd=PROJECT_DIR,
        env=clean_environ() | environ,
    )
    try:
        yield
    finally:
        worker.end(worker.process.terminate)
