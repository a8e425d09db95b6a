"""The service that bench/soak.py loads: the small form, or the grown one."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import base58

from bench.tracking_read import PROJECT_DIR, SITE, TOKEN
from embed import owners, pages
from embed.db import connection, schema_version
from embed.domain import times
from embed.domain.passwords import hash_password
from embed.keys import management
from embed.wallets import tracking

sys.path.insert(0, str(PROJECT_DIR / "tests"))
from servers import Gunicorn, Server, clean_environ, open_postgres, open_valkey, run_gunicorn

EMAIL, PASSWORD = "owner@example.com", "a password of the soak"  # of nothing else
WALLETS = 200
LIMITS = (
    "LIMIT_PER_IP",
    "LIMIT_PER_KEY",
    "LIMIT_SESSION_NONCES",
    "LIMIT_SESSION_SUBMISSIONS",
    "LIMIT_IP_SUBMISSIONS",
)


@dataclass(frozen=True)
class Service:
    """Where it is served, and what its clients need."""

    ports: list[int]
    process_ids: list[int]  # of the processes that were started; their children count as well
    database_url: str
    page_id: str
    key: str


@contextmanager
def run_service(folder: Path, *, is_grown: bool) -> Iterator[Service]:
    environ = dict.fromkeys(LIMITS, "1000000000/minute")  # counted, and never reached
    environ |= {"SECRET_KEY": "a secret key of the soak"}
    with ExitStack() as running:
        if is_grown:
            environ |= _start_databases(running)
            options, count = ("--workers", "2"), 2
        else:
            environ["DATABASE_URL"] = f"sqlite:///{folder}/embed.db"
            options, count = (), 1
        page_id, key = _make_page(environ["DATABASE_URL"])
        servers: list[Gunicorn] = [
            running.enter_context(run_gunicorn(environ, *options)) for _ in range(count)
        ]
        process_ids = [server.pid for server in servers]
        if is_grown:
            process_ids.append(_start_worker(environ, running))
        ports = [server.port for server in servers]
        yield Service(ports, process_ids, environ["DATABASE_URL"], page_id, key)


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


def _make_page(database_url: str) -> tuple[str, str]:
    """Make a page of some wallets that an owner reviews, and a public key."""
    connection.open_database(database_url)
    schema_version.upgrade()
    now = times.now()
    owner = owners.create_owner(EMAIL, now)
    owner.password_hash = hash_password(PASSWORD)
    owner.save()
    page = pages.create_page(owner, TOKEN | {"queue_capacity": 1000}, now)
    for number in range(WALLETS):
        address = base58.b58encode((2**250 + number).to_bytes(32, "big")).decode()
        wanted = tracking.WalletFields(alias=f"Wallet {number}")
        tracking.add_wallet(page.id, address, wanted, now, max_wallets=WALLETS)
    _, key = management.create_key(page.id, "public", raw_origins=[SITE], now=now)
    connection.db.close()
    return page.id, key
