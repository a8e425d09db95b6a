"""flask balances: reading balances from the chain, and showing what is known."""

import json

import pytest
from click.testing import _NamedTextIOWrapper
from support.fake_chain import FakeChain
from support.world import Visitor

pytestmark = pytest.mark.slow

OTHER = "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN"
NOW = "2026-01-31T09:30:00.000Z"


@pytest.fixture
def chain():
    return FakeChain()


@pytest.fixture
def run(world):
    """Run a command: ``run("balances", "refresh")``."""
    return lambda *arguments: world.app.test_cli_runner().invoke(args=arguments)


@pytest.fixture
def address(world, chain) -> str:
    address = Visitor().address
    world.track(address, alias="Whale", balance=100)
    chain.hold(address, 5)
    return address


def test_refresh_prints_plain_lines_and_what_it_did(run, address):
    result = run("balances", "refresh")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "1 of 1 reads",
        "2 of 2 reads",
        "1 balance read.",
    ]
    assert run("balances", "refresh").stdout == "0 balances read.\n"


def test_refresh_of_a_page_reads_it_again(run, world, address):
    run("balances", "refresh")

    result = run("balances", "refresh", world.page_id)

    assert result.stdout.splitlines()[-1] == "1 balance read."


def test_refresh_shows_a_bar_on_a_terminal(run, address, monkeypatch):
    # Click's runner puts this in the place of standard output.
    monkeypatch.setattr(_NamedTextIOWrapper, "isatty", lambda _: True, raising=False)

    text = run("balances", "refresh").stdout

    assert "Reading balances  [####" in text
    assert "2/2" in text
    assert text.splitlines()[-1] == "1 balance read."


def test_refresh_prints_one_document_with_json(run, address):
    result = run("balances", "refresh", "--json")

    assert json.loads(result.stdout) == {
        "observed": 1,
        "observedCompletely": 1,
        "flagged": 0,
        "unflagged": 0,
        "problem": None,
        "failure": None,
    }


def test_failure_is_told_with_the_exit_status_and_without_an_address(run, chain, address):
    chain.is_down = True

    result = run("balances", "refresh")

    assert result.exit_code == 1
    sentence = "No Solana RPC endpoint gave a usable answer: timed out."
    assert result.stdout == f"0 balances read. {sentence}\n"


@pytest.mark.parametrize("command", ["refresh", "show"])
def test_unknown_page_is_told(run, command):
    result = run("balances", command, "x" * 20)

    assert result.exit_code == 1
    assert result.stderr == f"Error: There is no tracking page {'x' * 20}.\n"


def test_show_tells_amount_time_slot_and_source(run, world, chain, address):
    entered, unknown = Visitor().address, Visitor().address
    world.track(entered, balance="7.5")
    world.track(unknown)
    world.clock.forward(hours=1)
    run("balances", "refresh")
    from embed.db.models import ChainBalance

    ChainBalance.delete().where(ChainBalance.address != address).execute()

    rows = {
        one["address"]: one
        for one in json.loads(run("balances", "show", world.page_id, "--json").stdout)
    }

    assert rows[address] == {
        "address": address,
        "publicAlias": "Whale",
        "tokenBalance": 5,
        "observedAtIso": "2026-01-31T10:30:00.000Z",
        "slot": chain.ledger.slot,
        "source": "chain",
    }
    assert rows[entered] == {
        "address": entered,
        "publicAlias": None,
        "tokenBalance": 7.5,
        "observedAtIso": NOW,
        "slot": None,
        "source": "entered",
    }
    assert set(rows[unknown].values()) == {unknown, None}
    assert "entered" in run("balances", "show", world.page_id).stdout
