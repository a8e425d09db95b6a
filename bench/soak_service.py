"""The service that bench/soak.py loads: one process, or several on Postgres and Valkey."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.servers import PROJECT_DIR, Server, clean_environ, open_postgres, open_valkey

from bench.service import ENVIRON, TrackedPage, make_page, open_new_database, serve
from embed.db.connection import db

WALLETS = 200


@dataclass(frozen=True)
class Service:
    """Where it is served, and what its clients need."""

    ports: list[int]
    process_ids: list[int]  # of the processes that were started; their children count as well
    database_url: str
    page: TrackedPage


@contextmanager
def run_service(folder: Path, *, is_grown: bool) -> Iterator[Service]:
    environ = dict(ENVIRON)
    with ExitStack() as running:
        if is_grown:
            environ |= _start_databases(running)
            options, count = ("--workers", "2"), 2
        else:
            environ["DATABASE_URL"] = f"sqlite:///{folder}/embed.db"
            options, count = (), 1
        page = make_page(open_new_database(environ["DATABASE_URL"]), WALLETS)
        db.close()
        servers = [running.enter_context(serve(environ, *options)) for _ in range(count)]
        process_ids = [server.pid for server in servers]
        if is_grown:
            process_ids.append(_start_worker(environ, running))
        ports = [server.port for server in servers]
        yield Service(ports, process_ids, environ["DATABASE_URL"], page)


def _start_databases(running: ExitStack) -> dict[str, str]:
    postgres, valkey = running.enter_context(open_postgres()), running.enter_context(open_valkey())
    return {
        "DATABASE_URL": postgres.create_database(),
        "RATELIMIT_STORAGE_URI": f"redis+unix://{valkey.path}",
        "BACKGROUND": "worker",
    }


def _start_worker(environ: dict[str, str], running: ExitStack) -> int:
    worker = Server(
        [sys.executable, "-m", "flask", "worker"], cwd=PROJECT_DIR, env=clean_environ() | environ
    )
    running.callback(worker.end, worker.process.terminate)
    return int(worker.process.pid)
