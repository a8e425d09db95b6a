"""A page made by the mint address alone: ``flask pages create --token-mint MINT``."""

import json
import time

import pytest
from support import rpc_faults
from support.rpc_access import connect
from support.world import USDC

from embed import pages
from embed.balances import tokens

pytestmark = pytest.mark.slow


@pytest.fixture
def chain(endpoint):
    return connect(endpoint)


@pytest.fixture
def create(app):
    """Run ``flask pages create`` for USDC, and return its result."""

    def run(*options: str):
        command = ["pages", "create", "--token-mint", USDC, *options, "--json"]
        return app.test_cli_runner().invoke(args=command)

    return run


def refusal(result) -> str:
    """Return the error line of a command that made nothing."""
    assert result.exit_code == 1, result.output
    (line,) = result.stderr.splitlines()
    assert pages.list_pages() == []
    return line.removeprefix("Error: ")


def test_name_and_symbol_are_read_from_the_chain(ledger, create):
    ledger.create_mint(6, address=USDC, name="USD Coin", symbol="USDC")

    made = json.loads(create().stdout)

    assert (made["tokenName"], made["tokenSymbol"], made["tokenMint"]) == ("USD Coin", "USDC", USDC)
    assert pages.get_page(made["id"]).token_name == "USD Coin"


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--token-name", "Mine"), ("Mine", "USDC")),
        (("--token-symbol", "MINE"), ("USD Coin", "MINE")),
    ],
)
def test_given_name_or_symbol_is_kept(ledger, create, options, names):
    ledger.create_mint(6, address=USDC, name="USD Coin", symbol="USDC")

    made = json.loads(create(*options).stdout)

    assert (made["tokenName"], made["tokenSymbol"]) == names


def test_chain_is_not_asked_if_both_are_given(endpoint, create):
    assert create("--token-name", "N", "--token-symbol", "S").exit_code == 0
    assert endpoint.calls.total() == 0


@pytest.mark.parametrize("chain", [None])
def test_without_an_endpoint_the_options_are_named(create, chain):
    assert refusal(create()) == (
        "The name and the symbol cannot be looked up, because SOLANA_RPC_URL is not set."
        " Give --token-name and --token-symbol."
    )
    assert refusal(create("--token-name", "N")).endswith("Give --token-symbol.")


def test_token_without_names_needs_them(ledger, create):
    ledger.create_mint(6, address=USDC)

    assert refusal(create()).endswith("Give --token-name and --token-symbol.")
    assert refusal(create("--token-symbol", "S")).endswith("Give --token-name.")


def test_address_that_is_no_mint_is_refused(create):
    assert refusal(create()) == f"{USDC} is not the mint of a token."


def test_endpoint_that_hangs_is_given_up_in_time(endpoint, create, monkeypatch):
    monkeypatch.setattr(tokens, "PROPOSE_WITHIN_S", 0.3)
    endpoint.fail(rpc_faults.hang)
    started_at = time.monotonic()

    assert "timed out. Give --token-name and --token-symbol." in refusal(create())
    assert time.monotonic() - started_at < rpc_faults.HUNG_S
