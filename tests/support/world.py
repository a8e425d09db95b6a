"""Helpers of most tests: a page with its owner, and visitors with key pairs."""

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import base58
from flask import Flask, Response
from nacl.signing import SigningKey

from embed import pages
from embed.balances.known import BalanceSource
from embed.balances.observations import Observation, store_entered
from embed.balances.solana_rpc import choose_chain
from embed.db.connection import db
from embed.db.models import Activity, ApiKey, Page, Submission
from embed.db.pagination import read_rows
from embed.domain.amounts import RawAmount, parse_amount
from embed.domain.clients import UNKNOWN, Client
from embed.errors import STATUS_BY_CODE
from embed.events.editing import COMMAND_LINE, Change
from embed.events.kinds import write_subject
from embed.factory import choose_balances
from embed.keys import access, management
from embed.people import accounts
from embed.runtime import EXTENSION
from embed.settings import Settings
from embed.submissions import decisions
from embed.wallets import tags, tracking

SECRET_KEY = "a secret for tests that is long enough to be one"
RANDOM_KEY = "Vv0Xq2mJtK8dHs5rYw7LzB4nGp1cTfRa"  # with which flask doctor finds no fault
SITE = "https://site.example"
USDC = "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"


class Logged(NamedTuple):
    """An entry of the activity log, as the dashboard shows it."""

    actor: str
    action: str
    subject: str
    created_at: datetime


def read_log(page_id: str, *, limit: int = 100) -> list[Logged]:
    """Return the newest entries first."""
    entries = read_rows(Activity, Activity.page == page_id, limit=limit)
    subjects = [write_subject(one.action, one.data) for one in entries]
    return [
        Logged(one.actor, one.action, subject, one.created_at)
        for one, subject in zip(entries, subjects, strict=True)
    ]


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> None:
        self.now += timedelta(**time)


def change_at(
    now: datetime,
    actor: str = COMMAND_LINE,
    client: Client = UNKNOWN,
    settings: Settings | None = None,
    **changed: object,
) -> Change:
    """Return what use cases get for a change; `changed` are settings."""
    settings = settings or Settings.from_environ({})
    return Change(actor, now, replace(settings, **changed), client)


class Visitor:
    """A visitor with a wallet, and with a session after opening the widget."""

    def __init__(self, key: SigningKey | None = None) -> None:
        self.key = key or SigningKey.generate()
        self.address = base58.b58encode(bytes(self.key.verify_key)).decode()
        self.cookie: str | None = None

    def sign(self, message: str) -> str:
        return base64.b64encode(self.key.sign(message.encode()).signature).decode()


def with_session(world: "World") -> Visitor:
    """Return a new visitor who has opened the widget."""
    visitor = Visitor()
    world.open_widget(visitor)
    return visitor


def another_wallet(visitor: Visitor) -> Visitor:
    """Return the same visitor with another wallet, in the same session."""
    other = Visitor()
    other.cookie = visitor.cookie
    return other


def code_of(answer) -> str | None:
    """Return a refusal's code, None for a success; check the form of a refusal."""
    if answer.status_code < 400:
        return None
    assert answer.content_type == "application/json", answer.content_type
    details = {"balance", "minBalance"} if answer.status_code == 422 else set()
    assert set(answer.json) == {"error"} | details, answer.json
    assert answer.status_code == STATUS_BY_CODE[answer.json["error"]], answer.json
    if answer.status_code in (429, 503):
        assert answer.headers["Retry-After"].isdigit(), answer.headers
        assert int(answer.headers["Retry-After"]) > 0
    return answer.json["error"]


def read_exactly(answer) -> Any:
    """Return an answer's JSON with exact numbers, which floats would round."""
    return json.loads(answer.text, parse_float=Decimal, parse_int=Decimal)


class PageClient:
    """A client of a page with a public key; subclasses send the requests.

    Every call takes header overrides; a header that is None is not sent. `root` is one of the API's
    two paths.
    """

    root: str
    page_id: str
    public_key: str

    def send(self, method: str, path: str, *, headers, **arguments) -> Response:
        """Send a request; the arguments are those of Flask's test client."""
        raise NotImplementedError

    def call(self, method: str, path: str, *, key=None, cookie=None, headers=None, **arguments):
        sent = {
            "Authorization": f"Bearer {key or self.public_key}",
            "Origin": SITE,
            "Cookie": None if cookie is None else f"embed_session={cookie}",
        } | (headers or {})
        given = {name: value for name, value in sent.items() if value is not None}
        return self.send(method, path, headers=given, **arguments)

    def read(self, page_id=None, **arguments):
        return self.call("GET", f"{self.root}/tracking/{page_id or self.page_id}", **arguments)

    def open_widget(self, visitor: Visitor) -> Response:
        """Open the iframe route, and give the visitor its session cookie."""
        path = f"/embed/tracking/{self.page_id}?key={self.public_key}"
        answer = self.send("GET", path, headers={})
        visitor.cookie = answer.headers["Set-Cookie"].partition(";")[0].partition("=")[2]
        return answer

    def ask_nonce(self, visitor: Visitor, *, page_id=None, nickname=None, **arguments):
        body = {"trackingPageId": page_id or self.page_id, "walletAddress": visitor.address}
        body |= {} if nickname is None else {"nickname": nickname}
        return self.call(
            "POST", f"{self.root}/siws/nonce", json=body, cookie=visitor.cookie, **arguments
        )

    def draft(self, visitor: Visitor, nickname="Visitor", *, nonce=None, key=None, **fields):
        """Return a complete body for POST /submissions; fields override, None leaves out."""
        nonce = nonce or self.ask_nonce(visitor, key=key).json
        body = {
            "trackingPageId": self.page_id,
            "walletAddress": visitor.address,
            "nickname": nickname,
            "nonceId": nonce["nonceId"],
            "signature": visitor.sign(nonce["message"]),
        } | fields
        return {name: value for name, value in body.items() if value is not None}

    def post(self, draft: dict, **arguments):
        return self.call("POST", f"{self.root}/submissions", json=draft, **arguments)

    def submit(self, visitor: Visitor, nickname="Visitor", **arguments):
        """Get a nonce, sign its message and submit."""
        return self.post(self.draft(visitor, nickname), cookie=visitor.cookie, **arguments)

    def ask_record_nonce(self, visitor: Visitor, action: str, **arguments):
        body = {
            "trackingPageId": self.page_id,
            "walletAddress": visitor.address,
            "action": action,
        }
        path = f"{self.root}/wallet-records/nonce"
        return self.call("POST", path, json=body, cookie=visitor.cookie, **arguments)

    def sign_for_records(self, visitor: Visitor, action: str, *, nonce=None, key=None, **fields):
        """Return a complete body for POST /wallet-records or its withdrawal; fields override."""
        nonce = nonce or self.ask_record_nonce(visitor, action, key=key).json
        return {
            "trackingPageId": self.page_id,
            "walletAddress": visitor.address,
            "nonceId": nonce["nonceId"],
            "signature": visitor.sign(nonce["message"]),
        } | fields

    def post_for_records(self, action: str, body: dict, **arguments):
        path = {"show": "wallet-records", "withdraw": "wallet-records/withdraw"}[action]
        return self.call("POST", f"{self.root}/{path}", json=body, **arguments)

    def show_records(self, visitor: Visitor, **arguments):
        return self.post_for_records("show", self.sign_for_records(visitor, "show"), **arguments)

    def withdraw(self, visitor: Visitor, **arguments):
        body = self.sign_for_records(visitor, "withdraw")
        return self.post_for_records("withdraw", body, **arguments)

    def refresh(self, address: str, *, page_id=None, **arguments):
        """Read a wallet's balance now, which needs the page's secret key: ``key=``."""
        body = {"trackingPageId": page_id or self.page_id, "walletAddress": address}
        return self.call("POST", f"{self.root}/refresh", json=body, **arguments)

    def list_own(self, visitor: Visitor, *, page_id=None, **arguments):
        path = f"{self.root}/session/submissions?trackingPageId={page_id or self.page_id}"
        return self.call("GET", path, cookie=visitor.cookie, **arguments)


class World(PageClient):
    """A page of USDC with a public and a secret key, used in this process by owner and visitors."""

    def __init__(self, app: Flask, clock: Clock) -> None:
        self.root = "/api/embed"
        self.app = app
        self.clock = clock
        self.client = app.test_client(use_cookies=False)
        with db.atomic():  # one transaction, so that the disk is synced once
            self.page_id = self.make_page()
            self.public_key = self.make_key("public", origins=[SITE])
            self.secret_key = self.make_key("secret")

    def send(self, method: str, path: str, *, headers, **arguments) -> Response:
        return self.client.open(path, method=method, headers=headers, **arguments)

    def change(self, actor: str = COMMAND_LINE, client: Client = UNKNOWN, **changed) -> Change:
        """Return what use cases get for a change now; `changed` are settings."""
        return change_at(self.clock(), actor, client, self.settings, **changed)

    def make_page(self, *, owner=None, **fields: object) -> str:
        token = {"token_name": "USD Coin", "token_symbol": "USDC", "token_mint": USDC}
        owner = owner or accounts.get_installation_owner(self.clock())
        return pages.create_page(owner, token | fields, self.change()).id

    def make_key(self, tier, *, page_id=None, origins=(), allow_null_origin=False) -> str:
        return management.create_key(
            page_id or self.page_id,
            tier,
            self.change(),
            raw_origins=origins,
            allow_null_origin=allow_null_origin,
        )[1]

    def revoke(self, key: str) -> None:
        management.revoke_key(access.find_access(key).key_id, self.change())

    def revoke_all_keys(self) -> None:
        for key in management.list_keys(self.page_id):
            management.revoke_key(key.id, self.change())

    def configure(self, **fields: object) -> None:
        pages.update_page(self.page_id, fields, self.change())

    def use_endpoint(self, *urls: str) -> None:
        """Change SOLANA_RPC_URL of the app as it runs."""
        settings = replace(self.settings, solana_rpc_url=urls)
        runtime = self.app.extensions[EXTENSION]
        chain = choose_chain(settings, runtime.chain)
        balances = choose_balances(settings, chain, runtime.clock)
        self.app.extensions[EXTENSION] = replace(
            runtime, settings=settings, chain=chain, balances=balances
        )

    def delete_page(self) -> None:
        pages.delete_page(self.page_id, self.change())

    def add_tag(self, name: str, color: str = "green", *, is_counted: bool = True):
        return tags.add_tag(self.page_id, name, color, self.change(), is_counted=is_counted)

    def track(self, address: str, *, page_id=None, **changes: object):
        wanted = tracking.WalletFields(**changes)
        page_id = page_id or self.page_id
        return tracking.add_wallet(page_id, address, wanted, self.change())

    def observe(self, address: str, amount: RawAmount) -> None:
        self.observe_on(self.page, address, amount)

    def observe_on(self, page: Page, address: str, amount: RawAmount) -> None:
        row = Observation(address, parse_amount(amount), self.clock())
        store_entered(page, [row])

    def approve(self, submission_id: str, **changed: object) -> Submission:
        approve = partial(decisions.approve, change=self.change(**changed))
        return decisions.decide_one(submission_id, approve)

    def reject(self, submission_id: str, **how: object) -> Submission:
        reject = partial(decisions.reject, change=self.change(), **how)
        return decisions.decide_one(submission_id, reject)

    def undo(self, submission_id: str, *, actor: str = "owner@example.com") -> Submission:
        undo = partial(decisions.undo, change=self.change(actor))
        return decisions.decide_one(submission_id, undo)

    @property
    def settings(self) -> Settings:
        return self.app.extensions[EXTENSION].settings

    @property
    def balances(self) -> BalanceSource:
        return self.app.extensions[EXTENSION].balances

    @property
    def page(self) -> Page:
        return pages.get_page(self.page_id)

    def dump(self) -> dict[str, list[str]]:
        """Return all rows, except for the use of keys and what background work notes of itself."""
        return {
            table: sorted(map(repr, db.execute_sql(f'SELECT * FROM "{table}"').fetchall()))  # noqa: S608
            for table in db.get_tables()
            if table not in ("api_key", "refused_origin", "lease", "job")
        } | {
            "api_key": sorted(repr(row | {"last_used_at": None}) for row in ApiKey.select().dicts())
        }


# A valid request to each endpoint that submissions need.
ENDPOINTS = {
    "tracking": lambda world, **how: world.read(**how),
    "nonce": lambda world, **how: world.ask_nonce(Visitor(), **how),
    "submissions": lambda world, **how: world.post(world.draft(Visitor()), **how),
    "session": lambda world, **how: world.list_own(Visitor(), **how),
}
