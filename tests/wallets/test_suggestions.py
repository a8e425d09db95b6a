"""Suggested wallets: what is told of each, and entering those that an owner chose."""

from decimal import Decimal
from functools import partial

import base58
import pytest
from solders.pubkey import Pubkey
from support.fake_chain import FakeChain
from support.remote import race
from support.world import USDC, Visitor, read_log

from embed.db.models import Balance, ChainBalance, Wallet
from embed.errors import InvalidInput
from embed.runtime import EXTENSION
from embed.wallets.suggestions import add_suggested, suggest_wallets

POOL = str(Pubkey.find_program_address([b"pool"], Pubkey.default())[0])


@pytest.fixture
def chain() -> FakeChain:
    return FakeChain()


@pytest.fixture
def suggest(world):
    return lambda: suggest_wallets(world.page, world.app.extensions[EXTENSION])


@pytest.fixture
def add(world):
    """Enter addresses as an owner who ticked them."""

    def enter(*addresses: str, page_id: str = world.page_id) -> int:
        return add_suggested(page_id, addresses, world.change("owner@example.com"))

    return enter


def test_share_tracked_wallets_and_programs_are_told(world, chain, suggest):
    listed, hidden, other = (Visitor().address for _ in range(3))
    for number, address in enumerate((POOL, listed, hidden, other)):
        chain.hold(address, 40 - 10 * number)
    world.track(listed)
    world.track(hidden, is_hidden=True)

    assert [
        (one.address, one.balance, one.share, one.is_tracked, one.is_of_program)
        for one in suggest()
    ] == [
        (POOL, 40, Decimal("0.4"), False, True),
        (listed, 30, Decimal("0.3"), True, False),
        (hidden, 20, Decimal("0.2"), True, False),
        (other, 10, Decimal("0.1"), False, False),
    ]


@pytest.mark.databases("sqlite", "postgres")
def test_chosen_addresses_become_the_owners_own(world, add):
    first, second = Visitor().address, Visitor().address
    world.clock.forward(seconds=1)
    version = world.page.version

    assert add(first, second, first) == 2

    rows = list(Wallet.select().where(Wallet.page == world.page_id))
    assert {row.address for row in rows} == {first, second}
    assert {(row.submission_id, row.public_alias, row.is_hidden) for row in rows} == {
        (None, None, False)
    }
    entry = read_log(world.page_id)[0]
    assert (entry.actor, entry.action) == ("owner@example.com", "import wallets")
    assert entry.subject == "2 added, 0 changed"
    assert world.page.version == version + 1
    # What they hold is left to the next reading of the chain.
    assert (Balance.select().count(), ChainBalance.select().count()) == (0, 0)


@pytest.mark.databases("sqlite", "postgres")
def test_what_is_tracked_meanwhile_stays_as_it_is(world, add):
    visitor, new = Visitor(), Visitor().address
    world.approve(world.submit(visitor).json["submissionId"])
    world.track(USDC, alias="Mint", is_hidden=True, balance=5)
    before = list(Wallet.select().order_by(Wallet.id).dicts())

    assert add(visitor.address, USDC, new) == 1

    assert [
        row for row in Wallet.select().order_by(Wallet.id).dicts() if row["address"] != new
    ] == before


@pytest.mark.parametrize("wrong", ["", "O" * 44, "\ud800"], ids=ascii)
def test_one_wrong_address_adds_none(world, add, wrong):
    before = world.dump()

    with pytest.raises(InvalidInput, match=r"isn't (a Solana address|used in addresses)"):
        add(Visitor().address, wrong)
    assert world.dump() == before


@pytest.mark.databases("sqlite", "postgres")
def test_two_owners_at_once_add_each_wallet_once(world, add):
    addresses = [base58.b58encode(bytes([number]) * 32).decode() for number in range(1, 21)]

    counts = race(*[partial(add, *addresses), partial(add, *addresses[::-1])] * 2)

    assert sum(counts) == len(addresses)
    assert Wallet.select().where(Wallet.page == world.page_id).count() == len(addresses)
