"""Answers of the service to every kind of request: successes, and a refusal for every code."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from contract import DOCUMENT_PATH, OPERATIONS, Answer
from support.apps import Apps
from support.fake_chain import FakeChain
from support.refusal_cases import (
    ENDPOINTS,
    SETTINGS,
    Attempt,
    begin,
    submit_elsewhere,
    with_public_key,
)
from support.world import SECRET_KEY, SITE, USDC, Clock, Visitor, World

from embed.balances.observations import ChainObservation, store_chain
from embed.db import connection
from embed.db.models import Token, Wallet
from embed.factory import create_app
from embed.runtime import EXTENSION
from embed.settings import Settings
from embed.wallets.listings import update_listings
from embed.wallets.tracking import WalletFields, update_wallet

OWN = "http://localhost"  # how the test client addresses the service


@contextmanager
def make_world(apps: Apps, database_url: str, **variables: str) -> Iterator[World]:
    environ = {"DATABASE_URL": database_url, "SECRET_KEY": SECRET_KEY} | variables
    clock = Clock()
    app = apps.find(Settings.from_environ(environ), clock=clock)
    views = dict(app.view_functions)
    try:
        yield World(app, clock)
    finally:
        app.view_functions.update(views)
        connection.db.close()


def describe(operation: str, answer) -> Answer:
    """Return an answer of Flask's test client in the form that is compared."""
    data = answer.data
    if answer.headers.get("Content-Encoding") == "gzip":
        data = gzip.decompress(data)
    body = json.loads(data) if data else None
    return Answer(operation, answer.status_code, dict(answer.headers), body)


# Successes


def succeed(world: World) -> Iterator[Answer]:
    """Yield every success, with all fields filled and, where possible, with null."""
    tag = world.add_tag("team")
    tagged = Visitor().address
    balance = "18446744073.709551615"
    world.track(tagged, alias="Treasury", tag_names=[tag.name], balance=balance)
    world.track(Visitor().address)
    yield describe("readTrackingPage", world.read())
    yield read_wallet(world, tagged)
    world.configure(public_title="Title", public_comments="Comments")
    yield describe("readTrackingPage", world.read(headers={"Accept-Encoding": "gzip"}))
    yield from read_again(world)
    visitor = Visitor()
    world.open_widget(visitor)
    yield describe("createNonce", world.ask_nonce(visitor))
    yield from submit_in_every_way(world, visitor)
    yield describe("listSessionSubmissions", world.list_own(visitor))
    yield from see_and_withdraw(world)
    yield refresh(world)
    for operation, (method, path, _) in OPERATIONS.items():
        if method == "OPTIONS":
            path = world.root + path.format(trackingPageId=world.page_id, address=tagged)
            yield describe(operation, world.call(method, path, headers={"Authorization": None}))


def read_wallet(world: World, address: str) -> Answer:
    """Read a wallet whose share is known, as this request has an endpoint."""
    before = world.app.extensions[EXTENSION]
    world.use_endpoint("http://127.0.0.1:9/")
    supply = {"supply": Decimal(10**12), "supply_observed_at": world.clock()}
    Token.insert(mint=USDC, **supply).on_conflict("REPLACE").execute()
    path = f"{world.root}/tracking/{world.page_id}/wallets/{address}"
    answer = world.call("GET", path)
    world.app.extensions[EXTENSION] = before

    return describe("readListedWallet", answer)


def read_again(world: World) -> Iterator[Answer]:
    """Read the page as a client that has it, before and after a change; /api knows no tags."""
    for _ in range(20):
        world.track(Visitor().address)
    condition = {"If-None-Match": world.read().headers.get("ETag", 'W/"none"')}
    yield describe("readTrackingPage", world.read(headers=condition))
    world.track(Visitor().address)
    yield describe("readTrackingPage", world.read(headers=condition))


def submit_in_every_way(world: World, visitor: Visitor) -> Iterator[Answer]:
    """Submit so that the session's list has every status."""
    for decide in (world.approve, world.reject, lambda submission_id: None):
        answer = world.submit(visitor)
        yield describe("createSubmission", answer)
        decide(answer.json["submissionId"])
        visitor.key = Visitor().key
        visitor.address = Visitor(visitor.key).address
    world.configure(auto_approve=True)
    yield describe("createSubmission", world.submit(visitor))
    world.submit(visitor)  # a duplicate, which is soft-rejected


def see_and_withdraw(world: World) -> Iterator[Answer]:
    """Show a wallet of which nothing is kept, and one of which everything is."""
    visitor = Visitor()
    yield describe("showWalletRecords", world.show_records(visitor))
    world.submit(visitor)  # which is approved at once
    world.observe(visitor.address, "0.1")
    observed = ChainObservation(visitor.address, "x", Decimal(7), 7, world.clock(), Decimal(0))
    store_chain(world.page.token_mint, [observed])
    update_listings(world.clock())
    wallet = Wallet.get(Wallet.address == visitor.address)
    hidden = WalletFields(is_hidden=True, tag_names=["team"])
    update_wallet(wallet.id, hidden, world.clock())
    update_listings(world.clock())
    yield describe("showWalletRecords", world.show_records(visitor))
    nonce = world.ask_record_nonce(visitor, "withdraw")
    yield describe("createRecordNonce", nonce)
    body = world.sign_for_records(visitor, "withdraw", nonce=nonce.json)
    yield describe("withdrawWallet", world.post_for_records("withdraw", body))


def refresh(world: World) -> Answer:
    """Read a wallet from a chain, which only this request has."""
    chain, holder = FakeChain(), Visitor().address
    chain.hold(holder, 5)
    world.track(holder)
    before = world.app.extensions[EXTENSION]
    world.app.extensions[EXTENSION] = replace(before, chain=chain)
    world.use_endpoint("http://127.0.0.1:9/")
    answer = world.refresh(holder, key=world.secret_key)
    world.app.extensions[EXTENSION] = before
    return describe("refreshBalance", answer)


# Refusals


def take_other_origin(attempt: Attempt) -> None:
    attempt.headers["Origin"] = "https://evil.example"


def name_another_host(attempt: Attempt) -> None:
    attempt.headers["Host"] = "elsewhere.example"


def have_been_rejected(attempt: Attempt) -> None:
    attempt.world.reject(submit_elsewhere(attempt).json["submissionId"])


def break_views(attempt: Attempt) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError

    views = attempt.world.app.view_functions
    views.update(dict.fromkeys(views, fail))


BY_ANY_PREFLIGHT = (name_another_host, break_views)
FAULTS = {
    name: [*(fault for _, fault in steps), *BY_ANY_PREFLIGHT, take_other_origin]
    for name, (*_, steps) in ENDPOINTS.items()
}
FAULTS["createSubmission"].append(have_been_rejected)
FAULTS["refreshBalance"][-1] = with_public_key(take_other_origin)
FAULTS |= {name: [*BY_ANY_PREFLIGHT] for name in OPERATIONS if name.startswith("preflight")}
for name in ("preflightTrackingPage", "preflightListedWallet"):
    FAULTS[name].append(take_other_origin)


def refuse(apps: Apps, database_url: str) -> Iterator[Answer]:
    """Yield the answer to every fault, each in a world of its own."""
    for operation, faults in FAULTS.items():
        method, path, _ = OPERATIONS[operation]
        for fault in faults:
            with make_world(apps, database_url, **SETTINGS, PUBLIC_URL=OWN) as world:
                if operation in ENDPOINTS:
                    attempt = begin(world, operation)
                else:
                    there = path.format(trackingPageId=world.page_id, address="0")
                    attempt = Attempt(world, method, f"/api/embed{there}")
                fault(attempt)
                yield describe(operation, attempt.send())


def answer_elsewhere(apps: Apps, database_url: str) -> dict[str, Answer]:
    """Return answers that belong to no operation, by the document's names for them."""
    with make_world(apps, database_url) as world:
        client = world.client
        websocket = {"Connection": "Upgrade", "Upgrade": "websocket"}
        answers = {
            "MethodNotAllowed": client.put("/api/embed/submissions", headers={"Origin": SITE}),
            "BadRequest": client.get(DOCUMENT_PATH, headers={"Origin": SITE} | websocket),
        }
        return {name: describe(name, answer) for name, answer in answers.items()}


def refuse_without_database(folder: Path) -> Iterator[Answer]:
    """Yield the answers of a service whose database file is a folder."""
    environ = {"DATABASE_URL": f"sqlite:///{folder}", "SECRET_KEY": SECRET_KEY}
    client = create_app(Settings.from_environ(environ)).test_client()
    headers = {"Authorization": f"Bearer svc_pub_{'0' * 32}", "Origin": SITE}
    for operation, (method, path, _) in OPERATIONS.items():
        path = f"/api/embed{path}".format(trackingPageId="x" * 20, address="0")
        yield describe(operation, client.open(path, method=method, headers=headers))
    connection.db.close()
