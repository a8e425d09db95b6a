"""POST /refresh: reading a wallet's balance now, for servers that hear of transfers."""

import pytest
from support.fake_chain import COMPLETE, SWEEP, FakeChain
from support.world import USDC, Visitor, code_of

from embed.db.connection import db
from embed.db.models import ChainBalance, Wallet
from embed.wallets import tracking

pytestmark = pytest.mark.slow

NOW = "2026-01-31T09:30:00.000Z"


@pytest.fixture
def chain() -> FakeChain:
    return FakeChain()


@pytest.fixture
def holder(world, chain) -> str:
    """A wallet of the page that holds 5 tokens."""
    address = Visitor().address
    chain.hold(address, 5)
    world.track(address)
    return address


@pytest.fixture
def refresh(world):
    return lambda address, **how: world.refresh(address, **{"key": world.secret_key} | how)


# What it answers


def test_answer_is_the_observation(chain, holder, refresh):
    answer = refresh(holder)

    assert answer.status_code == 200
    assert answer.json == {
        "walletAddress": holder,
        "tokenMint": USDC,
        "tokenBalance": 5,
        "observedAtIso": NOW,
        "slot": chain.ledger.slot,
    }


@pytest.mark.databases("sqlite", "postgres")
def test_page_shows_a_change_at_once(world, chain, holder, refresh):
    other_page = world.make_page()
    other_key = world.make_key("secret", page_id=other_page)
    world.track(holder, page_id=other_page)
    refresh(holder)
    version = world.page.version

    chain.hold(holder, 3)
    world.clock.forward(seconds=1)  # not as the gate, which takes what is 30 seconds old
    refresh(holder)

    assert world.page.version > version
    (shown,) = world.read().json["wallets"]
    assert shown["tokenBalance"] == 8
    (elsewhere,) = world.read(other_page, key=other_key).json["wallets"]
    assert elsewhere["tokenBalance"] == 8


# Who may ask, and for what


def test_wallet_of_another_page_or_of_the_queue_is_not_found(world, chain, refresh):
    visitor = Visitor()
    world.track(visitor.address, page_id=world.make_page())
    world.submit(visitor)

    assert code_of(refresh(visitor.address)) == "wallet_not_found"
    assert chain.calls.total() == 0


@pytest.mark.databases("sqlite", "postgres")
def test_wallet_removed_while_the_chain_is_asked_does_not_come_back(world, chain, holder, refresh):
    wallet = Wallet.get()
    chain.before_answer = lambda method: (
        tracking.remove_wallet(wallet.id, world.change()) if Wallet.select().exists() else None
    )

    assert code_of(refresh(holder)) == "wallet_not_found"
    assert ChainBalance.select().count() == 0


def test_chain_is_asked_outside_of_transactions(chain, holder, refresh):
    inside = []
    chain.before_answer = lambda method: inside.append((method, db.in_transaction()))

    refresh(holder)

    assert inside == [(SWEEP, False), (COMPLETE, False)]  # the mint, the first time


# When the chain does not answer


def test_endpoint_that_is_down_is_told_and_leaves_all_as_it_was(world, chain, holder, refresh):
    refresh(holder)
    world.clock.forward(seconds=5)
    chain.is_down = True
    before = world.dump()

    answer = refresh(holder)

    assert code_of(answer) == "balance_unavailable"
    assert world.dump() == before


# Limits


def test_page_has_a_limit_of_its_own_with_all_of_its_keys(world_with, chain):
    world = world_with(LIMIT_REFRESHES="2/hour")
    address = Visitor().address
    world.track(address)
    second_key = world.make_key("secret")
    other_page = world.make_page()
    other_key = world.make_key("secret", page_id=other_page)
    world.track(address, page_id=other_page)

    answers = [world.refresh(address, key=key) for key in (world.secret_key, second_key) * 2]

    assert [code_of(answer) for answer in answers] == [None, None, *["rate_limit_key"] * 2]
    assert int(answers[-1].headers["Retry-After"]) > 3000
    assert code_of(world.read(key=world.secret_key)) is None
    assert code_of(world.refresh(address, key=other_key, page_id=other_page)) is None
    assert chain.calls[COMPLETE] == 3


def test_all_pages_together_take_a_quarter_of_the_endpoints_rate(world_with, chain):
    world = world_with(LIMIT_RPC="8/hour")
    address = Visitor().address
    pages = [world.make_page() for _ in range(4)]
    for page_id in pages:
        world.track(address, page_id=page_id)

    answers = [
        world.refresh(address, page_id=each, key=world.make_key("secret", page_id=each))
        for each in pages
    ]

    assert [code_of(answer) for answer in answers] == [None, None, *["balance_unavailable"] * 2]
    assert int(answers[-1].headers["Retry-After"]) > 3000
    assert chain.calls[COMPLETE] == 2
