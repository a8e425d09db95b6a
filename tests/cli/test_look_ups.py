"""What commands look up on the chain: a new page's names, by its mint, and the largest holders."""

import json
from decimal import Decimal

import pytest
from solders.pubkey import Pubkey
from support.rpc_access import connect
from support.world import USDC, Visitor

pytestmark = pytest.mark.slow

POOL = str(Pubkey.find_program_address([b"pool"], Pubkey.default())[0])
CREATE = ("pages", "create", "--token-mint", f"https://solscan.io/token/{USDC}")


@pytest.fixture
def chain(endpoint):
    return connect(endpoint)


# flask pages create --token-mint MINT


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), ("USD Coin", "USDC")),
        (("--token-symbol", "MINE"), ("USD Coin", "MINE")),
        (("--token-name", "N", "--token-symbol", "S"), ("N", "S")),
    ],
)
def test_name_and_symbol_that_are_not_given_are_read(ledger, endpoint, operator, options, names):
    ledger.create_mint(6, address=USDC, name="USD Coin", symbol="USDC")

    made = operator.show(*CREATE, *options)

    assert (made["tokenName"], made["tokenSymbol"], made["tokenMint"]) == (*names, USDC)
    assert endpoint.calls.total() == (0 if len(options) == 4 else 1)


@pytest.mark.parametrize("chain", [None])
def test_without_an_endpoint_the_options_are_named(operator, chain):
    assert operator.refuse(*CREATE) == (
        "Error: The name and the ticker can't be looked up, because this server isn't connected"
        " to an RPC server."
        " Give --token-name and --token-symbol."
    )
    assert operator.refuse(*CREATE, "--token-name", "N").endswith("Give --token-symbol.")


def test_token_without_names_needs_them_and_an_address_that_is_no_mint_is_refused(ledger, operator):
    assert operator.refuse(*CREATE) == f"Error: {USDC} is not the mint of a token."

    ledger.create_mint(6, address=USDC)
    assert operator.refuse(*CREATE).endswith("Give --token-name and --token-symbol.")
    assert operator.refuse(*CREATE, "--token-symbol", "S").endswith("Give --token-name.")


# flask wallets suggest PAGE


def test_holders_are_printed_or_that_there_are_none(world, ledger, operator):
    suggest = ("wallets", "suggest", world.page_id)
    ledger.create_mint(6, address=USDC)
    assert operator.tell(*suggest) == "Nobody holds this token yet.\n"
    assert operator.show(*suggest) == []

    address = Visitor().address
    ledger.mint_to(POOL, USDC, 3_000_000)
    ledger.mint_to(address, USDC, 1_000_000)
    world.track(address)

    names = ("address", "tokenBalance", "share", "tracked", "ofProgram")
    rows = [(POOL, 3, Decimal("0.75"), False, True), (address, 1, Decimal("0.25"), True, False)]
    assert json.loads(operator.tell(*suggest, "--json"), parse_float=Decimal) == [
        dict(zip(names, row, strict=True)) for row in rows
    ]
    assert operator.tell(*suggest).splitlines()[1].split() == [POOL, "3", "0.75", "no", "yes"]
