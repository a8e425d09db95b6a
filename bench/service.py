"""The service as it ships, and databases with pages to measure.

tests/support/servers.py, which starts everything, has to be importable.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import base58
from peewee import Model, chunked
from support.servers import run_gunicorn

from embed import pages
from embed.db import connection, schema_version
from embed.db.models import ApiKey, Balance, Person, Tag, Wallet, WalletTag
from embed.domain import times
from embed.domain.identifiers import hash_key, make_id, make_key, shorten_key
from embed.domain.passwords import hash_password
from embed.people import accounts

SITE = "https://site.example"
TOKEN = {
    "token_name": "USD Coin",
    "token_symbol": "USDC",
    "token_mint": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
}
EMAIL, PASSWORD = "owner@example.com", "a password of the benchmark"  # of nothing else
TAGS = ("team", "whale", "exchange", "market maker")
# Counted at every request, and never reached.
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


@dataclass(frozen=True)
class Served:
    """A server that runs: where it answers, and whose CPU is counted."""

    port: int
    pid: int  # its children count as well
    others: tuple[int, ...] = ()  # the database's, Redis': counted apart


@dataclass(frozen=True)
class TrackedPage:
    id: str
    key: str  # a public one, for SITE

    @property
    def widget_path(self) -> str:
        return f"/embed/tracking/{self.id}?key={self.key}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}", "Origin": SITE}


@contextmanager
def serve(
    environ: dict[str, str], *arguments: str, app: str = "app:app", others: tuple[int, ...] = ()
) -> Iterator[Served]:
    """Run gunicorn in the project's folder, as `gunicorn app:app` does."""
    with run_gunicorn(environ, *arguments, app=app) as server:
        yield Served(server.port, server.pid, others)


def open_new_database(url: str) -> Person:
    """Make an empty database the one that is filled, with an owner who can sign in."""
    connection.open_database(url)
    schema_version.upgrade()
    owner = accounts.create_person(EMAIL, times.now())
    owner.password_hash = hash_password(PASSWORD)
    owner.save()
    return owner


def make_page(owner: Person, wallets: int, first: int = 0) -> TrackedPage:
    """Make a page of wallets with aliases, tags and balances, and a key for it.

    Their addresses are numbered from `first`; pages of one owner share balances, so that no two may
    have the same.
    """
    now = times.now()
    page = pages.create_page(owner, TOKEN | {"queue_capacity": QUEUE_CAPACITY}, now)
    key = make_key("public")
    ApiKey.create(
        page=page,
        tier="public",
        key_hash=hash_key(key),
        display_prefix=shorten_key(key),
        origins=(SITE,),
        created_at=now,
    )
    tags = [Tag.create(page=page, name=name, color="blue", created_at=now) for name in TAGS]
    rows = [
        {
            "id": make_id(),
            "page": page,
            "address": make_address(number),
            "public_alias": f"Wallet number {number}",
            "created_at": now,
        }
        for number in range(first, first + wallets)
    ]
    tagged = [
        {"wallet": row["id"], "tag": tag}
        for number, row in enumerate(rows)
        for tag in tags[: number % 3]
    ]
    balances = [
        {
            "owner": owner,
            "mint": page.token_mint,
            "address": row["address"],
            "amount": Decimal("1000.25") * number,
            "observed_at": now,
        }
        for number, row in enumerate(rows)
    ]
    with connection.db.atomic():
        insert(Wallet, rows)
        insert(WalletTag, tagged)
        insert(Balance, balances)
    return TrackedPage(page.id, key)


def make_address(number: int) -> str:
    return base58.b58encode((2**250 + number).to_bytes(32, "big")).decode()


def make_submission(page_id: str, key_id: str, number: int, **fields: Any) -> dict[str, Any]:
    """Return the row of a rejected submission, or of one with other `fields`."""
    sent_at = times.now() - timedelta(seconds=30 * number)
    return {
        "id": make_id(),
        "page": page_id,
        "api_key": key_id,
        "nickname": f"Visitor {number % 5000}",
        "wallet_address": make_address(number),
        "session_id": f"session{number // 40}",
        "status": "rejected",
        "reject_reason": "manual",
        "decided_at": sent_at,
        "created_at": sent_at,
    } | fields


PENDING = {"status": "pending", "reject_reason": None, "decided_at": None}


def insert(model: type[Model], rows: Iterable[dict[str, Any]]) -> None:
    for chunk in chunked(rows, 500):
        model.insert_many(chunk).execute()
