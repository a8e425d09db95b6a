"""Answers of every endpoint, which together have every field of the API."""

from collections.abc import Iterator
from decimal import Decimal

from flask import Response
from support.fake_chain import FakeChain
from support.world import USDC, Visitor, World, another_wallet, with_session

from embed.db.models import Token, Wallet
from embed.domain.reasons import parse_reason
from embed.wallets.listings import update_listings
from embed.wallets.tracking import WalletFields, update_wallet


def succeed(world: World, chain: FakeChain) -> Iterator[Response]:
    """Yield every success; `chain` is the world's."""
    yield from read_list(world, chain)
    yield from submit_and_list(world)
    yield from see_and_withdraw(world, chain)


def read_list(world: World, chain: FakeChain) -> Iterator[Response]:
    supply = {"supply": Decimal(10**12), "supply_observed_at": world.clock()}
    Token.insert(mint=USDC, **supply).on_conflict("REPLACE").execute()
    exchanges = world.add_tag(f"exchanges {world.root}", is_counted=False)
    known, unknown = Visitor().address, Visitor().address
    chain.hold(known, 5)
    world.track(known, alias="Treasury", tag_names=[exchanges.name])
    world.track(unknown)
    yield world.refresh(known, key=world.secret_key)
    yield world.call("GET", f"{world.root}/tracking/{world.page_id}/wallets/{known}")
    page = world.read()
    yield page
    yield world.read(headers={"If-None-Match": page.headers.get("ETag", "")})


def submit_and_list(world: World) -> Iterator[Response]:
    """Submit so that the session's list has every status."""
    visitor = with_session(world)
    world.configure(min_balance=1)
    yield world.ask_nonce(visitor)
    world.configure(min_balance=0, auto_approve=False)
    reason = parse_reason("low_balance")
    decisions = (
        world.approve,
        lambda submission_id: world.reject(submission_id, reason=reason),
        lambda submission_id: None,
    )
    for decide in decisions:
        answer = world.submit(visitor)
        yield answer
        decide(answer.json["submissionId"])
        visitor = another_wallet(visitor)
    world.configure(auto_approve=True)
    yield world.submit(visitor)
    world.submit(visitor)  # a duplicate, which is soft-rejected
    yield world.list_own(visitor)


def see_and_withdraw(world: World, chain: FakeChain) -> Iterator[Response]:
    """Show a wallet of which nothing is stored, and one of which everything is."""
    visitor = Visitor()
    yield world.show_records(visitor)
    world.submit(visitor)  # which is approved at once
    chain.hold(visitor.address, 7)
    world.refresh(visitor.address, key=world.secret_key)
    world.observe(visitor.address, "0.1")
    update_listings(world.clock())
    wallet = Wallet.get(Wallet.address == visitor.address)
    update_wallet(wallet.id, WalletFields(is_hidden=True), world.change())
    update_listings(world.clock())
    yield world.show_records(visitor)
    yield world.ask_record_nonce(visitor, "withdraw")
    yield world.withdraw(visitor)
