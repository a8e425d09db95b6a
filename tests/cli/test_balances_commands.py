"""flask balances: reading balances from the chain, and showing what is known."""

import pytest
from support.fake_chain import FakeChain
from support.world import Visitor

from embed.db.models import ChainBalance

pytestmark = pytest.mark.slow


@pytest.fixture
def chain():
    return FakeChain()


@pytest.fixture
def address(world, chain) -> str:
    address = Visitor().address
    world.track(address, alias="Whale", balance=100)
    chain.hold(address, 5)
    return address


def test_refresh_prints_what_it_did(operator, world, address):
    assert operator.tell("balances", "refresh") == "1 balance read.\n"
    assert operator.tell("balances", "refresh") == "0 balances read.\n"
    lines = operator.tell("balances", "refresh", world.page_id).splitlines()  # whether due or not
    assert lines[-1] == "1 balance read."


def test_failure_is_told_with_the_exit_status_and_without_an_address(operator, chain, address):
    chain.is_down = True

    result = operator.run("balances", "refresh")

    assert result.exit_code == 1
    sentence = "No RPC server gave a usable answer: timed out."
    assert result.stdout == f"0 balances read. {sentence}\n"


def test_show_tells_amount_time_slot_and_source(operator, world, chain, address):
    entered, unknown = Visitor().address, Visitor().address
    world.track(entered, balance="7.5")
    world.track(unknown)
    world.clock.forward(hours=1)
    operator.tell("balances", "refresh")
    ChainBalance.delete().where(ChainBalance.address != address).execute()

    names = ("address", "publicAlias", "tokenBalance", "observedAtIso", "slot", "source")
    rows = [
        (address, "Whale", 5, "2026-01-31T10:30:00.000Z", chain.ledger.slot, "chain"),
        (entered, None, 7.5, "2026-01-31T09:30:00.000Z", None, "entered"),
        (unknown, None, None, None, None, None),
    ]
    shown = operator.show("balances", "show", world.page_id)
    assert sorted(shown, key=lambda row: str(row["source"])) == [
        dict(zip(names, row, strict=True)) for row in (rows[2], *rows[:2])
    ]
    assert "entered" in operator.tell("balances", "show", world.page_id)
