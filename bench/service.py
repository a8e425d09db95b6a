"""The service as shipped, on a new database with a page to measure."""

from collections.abc import Iterable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import base58
from peewee import Model, chunked
from support.servers import Unavailable, open_postgres, open_valkey, run_gunicorn

from bench.clients import EMAIL, PASSWORD, SITE, TrackedPage
from bench.measures import Server
from embed import pages
from embed.db import connection, schema_version
from embed.db.models import ApiKey, Balance, Person, Submission, Tag, Wallet, WalletTag
from embed.domain import times
from embed.domain.identifiers import hash_key, make_id, make_key, shorten_key
from embed.domain.passwords import hash_password
from embed.people import accounts
from embed.wallets.listings import update_listings

TOKEN = {
    "token_name": "USD Coin",
    "token_symbol": "USDC",
    "token_mint": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
}
TAGS = ("team", "whale", "exchange", "market maker")
# Counted on every request, but never reached.
LIMITS = dict.fromkeys(
    (
        "LIMIT_PER_IP",
        "LIMIT_PER_KEY",
        "LIMIT_SESSION_NONCES",
        "LIMIT_SESSION_SUBMISSIONS",
        "LIMIT_IP_SUBMISSIONS",
    ),
    "1000000000/minute",
)
ENVIRON = LIMITS | {"SECRET_KEY": "a secret key of the benchmark"}
QUEUE_CAPACITY = 100_000
WALLETS, WAITING = 100, 60


@dataclass(frozen=True, kw_only=True)
class Service(Server):
    """The service with a page; the pages' owner is the only person."""

    name: str
    page: TrackedPage
    database_url: str

    def delete_submissions(self, nickname: str) -> None:
        """Delete visitors' submissions, since every new submission counts them."""
        connection.open_database(self.database_url)
        Submission.delete().where(Submission.nickname == nickname).execute()
        connection.db.close()


def start_services(running: ExitStack) -> list[Service]:
    """Start the service on SQLite, on SQLite with limits in Redis, and on Postgres."""
    services = [start_service(running)]
    valkey = try_to_start(running, "Redis", open_valkey())
    if valkey is not None:
        limits = {"RATELIMIT_STORAGE_URI": f"redis+unix://{valkey.path}"}
        services.append(start_service(running, "SQLite and Redis", limits, (valkey.pid,)))
    postgres = try_to_start(running, "Postgres", open_postgres(fsync="on"))
    if postgres is not None:
        database = {"DATABASE_URL": postgres.create_database()}
        services.append(start_service(running, "Postgres", database, (postgres.pid,)))
    return services


def start_service(
    running: ExitStack,
    name: str = "SQLite",
    settings: dict[str, str] | None = None,
    others: tuple[int, ...] = (),
    *,
    wallets: int = WALLETS,
    submissions: int = WAITING,
    small_pages: int = 0,
) -> Service:
    """Start the service on a new database, by default a SQLite file.

    It has a page with this many wallets and submissions, and smaller pages.
    """
    file = {"DATABASE_URL": f"sqlite:///{make_folder(running)}/embed.db"}
    environ = ENVIRON | file | (settings or {})
    connection.open_database(environ["DATABASE_URL"])
    schema_version.upgrade()
    with connection.db.atomic():
        owner = accounts.create_person(EMAIL, times.now())
        owner.password_hash = hash_password(PASSWORD)
        owner.save()
        page = _make_page(owner, range(wallets), submissions)
        for number in range(small_pages):
            first = wallets + number * WALLETS
            _make_page(owner, range(first, first + WALLETS), WAITING)
    update_listings(times.now())  # otherwise the service would start with it
    connection.db.close()
    server = running.enter_context(run_gunicorn(environ))
    return Service(
        server.port,
        server.pid,
        others,
        name=name,
        page=page,
        database_url=environ["DATABASE_URL"],
    )


def try_to_start(running: ExitStack, name: str, context: AbstractContextManager[Any]) -> Any:
    """Enter the context and return its value; None if this machine can't provide it."""
    try:
        return running.enter_context(context)
    except Unavailable as why:
        print(f"{name} is left out: {why}.\n")
        return None


def make_folder(running: ExitStack) -> Path:
    return Path(running.enter_context(TemporaryDirectory(prefix="embed-bench-")))


def _make_page(owner: Person, numbers: range, submissions: int) -> TrackedPage:
    """Make a page with submissions, a key, and wallets with aliases, tags and balances.

    An owner's pages share balances, so no two pages may have the same wallets.
    """
    now = times.now()
    page = pages.create_page(owner, TOKEN | {"queue_capacity": QUEUE_CAPACITY}, now)
    raw_key = make_key("public")
    key = ApiKey.create(
        page=page,
        tier="public",
        key_hash=hash_key(raw_key),
        display_prefix=shorten_key(raw_key),
        origins=(SITE,),
        created_at=now,
    )
    tags = [Tag.create(page=page, name=name, color="blue", created_at=now) for name in TAGS]
    wallets = [
        {
            "id": make_id(),
            "page": page,
            "address": make_address(number),
            "public_alias": f"Wallet number {number}",
            "created_at": now,
        }
        for number in numbers
    ]
    balances = [
        {
            "owner": owner,
            "mint": page.token_mint,
            "address": wallet["address"],
            "amount": Decimal("1000.25") * number,
            "observed_at": now,
        }
        for number, wallet in enumerate(wallets)
    ]
    tagged = [
        {"wallet": wallet["id"], "tag": tag}
        for number, wallet in enumerate(wallets)
        for tag in tags[: number % 3]
    ]
    _insert(Wallet, wallets)
    _insert(Balance, balances)
    _insert(WalletTag, tagged)
    _insert(Submission, (_describe_submission(key, number) for number in range(submissions)))
    return TrackedPage(page.id, raw_key)


def make_address(number: int) -> str:
    return base58.b58encode((2**250 + number).to_bytes(32, "big")).decode()


def _describe_submission(key: ApiKey, number: int) -> dict[str, Any]:
    """Return a submission's row: the first WAITING are pending, the others were rejected."""
    sent_at = times.now() - timedelta(seconds=30 * number)
    is_pending = number < WAITING
    return {
        "id": make_id(),
        "page": key.page_id,
        "api_key": key.id,
        "nickname": f"Visitor {number % 5000}",
        "wallet_address": make_address(-1 - number),  # not on any page
        "session_id": f"session{number // 40}",
        "status": "pending" if is_pending else "rejected",
        "reject_reason": None if is_pending else "manual",
        "decided_at": None if is_pending else sent_at,
        "created_at": sent_at,
    }


def _insert(model: type[Model], rows: Iterable[dict[str, Any]]) -> None:
    for chunk in chunked(rows, 500):
        model.insert_many(chunk).execute()
