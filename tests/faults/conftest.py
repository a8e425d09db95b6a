"""Services with faults: each test has servers of its own, as it kills or blocks them."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import pytest
from support.remote import make_environ
from support.servers import (
    PROJECT_DIR,
    Gunicorn,
    Postgres,
    Server,
    Valkey,
    clean_environ,
    open_postgres,
    open_valkey,
    provide,
    run_gunicorn,
)


@dataclass(frozen=True)
class Installation:
    """The service, with what it needs, as an operator runs it."""

    environ: dict[str, str]
    servers: list[Gunicorn]

    @property
    def urls(self) -> list[str]:
        return [server.url for server in self.servers]


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    yield from provide(open_postgres)


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    yield from provide(open_valkey)


@pytest.fixture
def grown(postgres, valkey) -> Iterator[Installation]:
    """Two instances of two workers on Postgres and Valkey, and a process for background work."""
    environ = make_environ(
        postgres.create_database(),
        RATELIMIT_STORAGE_URI=f"redis+unix://{valkey.path}",
        BACKGROUND="worker",
        ALLOW_PRIVATE_TARGETS="1",
    )
    with ExitStack() as running:
        start = partial(run_gunicorn, environ, "--workers", "2")
        servers = [running.enter_context(start()) for _ in range(2)]
        worker = Server(
            [sys.executable, "-m", "flask", "worker"],
            cwd=PROJECT_DIR,
            env=clean_environ() | environ,
        )
        running.callback(worker.end, worker.process.terminate)
        yield Installation(environ, servers)
