"""The service as shipped, on a new database with a page to measure."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import base58
from support.filled_database import using
from support.many_submissions import add_submissions
from support.owner_browser import OwnerBrowser, find_token
from support.remote import make_environ
from support.servers import Unavailable, open_postgres, open_valkey, run_gunicorn
from support.world import World

from bench.clients import Client, Server
from embed.db import schema_version
from embed.db.models import Submission
from embed.domain import times
from embed.factory import create_app
from embed.settings import Settings
from embed.wallets.csv_format import Line
from embed.wallets.csv_lines import ParsedTable
from embed.wallets.imports import apply_import
from embed.wallets.listings import update_listings
from embed.web.dashboard.blueprint import LOCAL_COOKIE

TAGS = ("team", "whale")
WALLETS, WAITING = 100, 60


@dataclass(frozen=True, kw_only=True)
class Service(Server):
    """The service with a page."""

    database_url: str
    owner: dict[str, str]  # the headers of the owner's session

    def decide(self, client: Client, decision: str, ids: list[str]) -> None:
        """Open the queue as the owner, and decide submissions."""
        path = f"/dashboard/pages/{self.page_id}/queue"
        token = find_token(client.get(path, self.owner).text)
        form = {"csrf_token": token, "decision": decision, "ids": ids}
        client.send("POST", f"{path}/decide", headers=self.owner, data=form, status=303)

    def delete_submissions(self) -> None:
        """Delete the submissions of measured visitors, since every new submission counts them.

        Only theirs have the nickname that `PageClient.submit` gives.
        """
        with using(self.database_url):
            Submission.delete().where(Submission.nickname == "Visitor").execute()


def start_services(running: ExitStack) -> list[Service]:
    """Start the service on SQLite, on SQLite with limits in Redis, and on Postgres."""
    services = [start_service(running)]
    with if_available("Redis"):
        valkey = running.enter_context(open_valkey())
        limits = {"RATELIMIT_STORAGE_URI": f"redis+unix://{valkey.path}"}
        services.append(start_service(running, "SQLite and Redis", limits, (valkey.pid,)))
    with if_available("Postgres"):
        postgres = running.enter_context(open_postgres(fsync="on"))
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
    environ = make_environ(f"sqlite:///{make_folder(running)}/embed.db") | (settings or {})
    with using(environ["DATABASE_URL"]):
        schema_version.upgrade()
        app = create_app(Settings.from_environ(environ))
        page = World(app, times.now)
        owner = OwnerBrowser(page)
        fill_page(page, owner, range(wallets), submissions)
        for number in range(small_pages):
            first = wallets + number * WALLETS
            fill_page(World(app, times.now), owner, range(first, first + WALLETS), WAITING)
        update_listings(times.now())  # otherwise the service would start with it
        owner.get("/dashboard/account")  # a form, so that the session has a token
        session = owner.client.get_cookie(LOCAL_COOKIE, path="/dashboard").value
    server = running.enter_context(run_gunicorn(environ))
    return Service(
        name=name,
        port=server.port,
        pid=server.pid,
        others=others,
        page_id=page.page_id,
        public_key=page.public_key,
        database_url=environ["DATABASE_URL"],
        owner={"Cookie": f"{LOCAL_COOKIE}={session}"},
    )


def fill_page(page: World, owner: OwnerBrowser, numbers: range, submissions: int) -> None:
    """Add wallets with names, tags and balances, and submissions: WAITING, then rejected ones.

    An owner's pages share balances, so no two pages may have the same wallets.
    """
    owner.take(page.page_id)
    page.configure(queue_capacity=100_000)  # never reached
    lines = [
        Line(
            make_address(number),
            f"Wallet number {number}",
            TAGS[: number % 3],
            is_hidden=False,
            balance=Decimal("1000.25") * number,
        )
        for number in numbers
    ]
    parsed = ParsedTable(lines, ())
    apply_import(page.page_id, parsed, page.change(), balances=page.balances, makes_tags=True)
    add_submissions(page, WAITING)
    add_submissions(page, submissions - WAITING, "rejected")


def make_address(number: int) -> str:
    return base58.b58encode((2**250 + number).to_bytes(32, "big")).decode()


def make_folder(running: ExitStack) -> Path:
    return Path(running.enter_context(TemporaryDirectory(prefix="embed-bench-")))


@contextmanager
def if_available(name: str) -> Iterator[None]:
    """Leave out what is within, and say so, if this machine can't run the server."""
    try:
        yield
    except Unavailable as why:
        print(f"{name} is left out: {why}.\n")
