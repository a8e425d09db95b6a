"""The largest holders, by a command: ``flask wallets suggest PAGE``."""

import json
from decimal import Decimal

import pytest
from solders.pubkey import Pubkey
from support import rpc_faults
from support.rpc_access import connect
from support.world import USDC, Visitor

pytestmark = pytest.mark.slow

POOL = str(Pubkey.find_program_address([b"pool"], Pubkey.default())[0])


@pytest.fixture
def chain(endpoint):
    return connect(endpoint)


@pytest.fixture
def suggest(world):
    def run(*options: str, page: str = world.page_id):
        arguments = ["wallets", "suggest", page, *options]
        return world.app.test_cli_runner().invoke(args=arguments)

    return run


@pytest.fixture
def holder(world, ledger) -> str:
    """A listed wallet that holds a quarter; a pool has the rest."""
    address = Visitor().address
    ledger.create_mint(6, address=USDC)
    ledger.mint_to(POOL, USDC, 3_000_000)
    ledger.mint_to(address, USDC, 1_000_000)
    world.track(address)
    return address


def test_holders_are_printed_as_json(suggest, holder):
    assert json.loads(suggest("--json").stdout, parse_float=Decimal) == [
        {
            "address": POOL,
            "tokenBalance": 3,
            "share": Decimal("0.75"),
            "tracked": False,
            "ofProgram": True,
        },
        {
            "address": holder,
            "tokenBalance": 1,
            "share": Decimal("0.25"),
            "tracked": True,
            "ofProgram": False,
        },
    ]


def test_token_without_holders_is_told(suggest, ledger):
    ledger.create_mint(6, address=USDC)

    assert suggest().output == "Nobody holds this token yet.\n"
    assert suggest("--json").output == "[]\n"


def test_endpoint_that_refuses_is_one_line(suggest, holder, endpoint):
    endpoint.fail(rpc_faults.answer_error(-32010), method="getTokenLargestAccounts")

    result = suggest("--json")

    assert (result.exit_code, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: The Solana RPC endpoint does not tell the largest holders")


@pytest.mark.parametrize("chain", [None])
def test_without_an_endpoint_the_setting_is_named(suggest):
    result = suggest()

    assert result.exit_code == 1
    assert "SOLANA_RPC_URL is not set" in result.stderr
