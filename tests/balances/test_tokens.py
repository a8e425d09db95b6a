"""What is kept of mints."""

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022
from support.rpc_access import PatientClock, connect
from support.rpc_faults import answer_status
from support.world import USDC, Visitor

from embed.balances.tokens import get_program, propose_token
from embed.db.models import Token
from embed.errors import InvalidInput

pytestmark = pytest.mark.slow


@pytest.fixture
def rpc(endpoint):
    return connect(endpoint, clock=PatientClock())


@pytest.fixture
def mint(ledger):
    mint = ledger.create_mint(9, program=SPL_TOKEN_2022, name="Große Münze", symbol="GM")
    ledger.mint_to(Visitor().address, mint, 2**64 - 1)
    return mint


def test_token_is_kept_for_a_day_and_while_no_endpoint_answers(world, ledger, endpoint, rpc):
    ledger.write_metaplex(mint := ledger.create_mint(0), "Große Münze", "GM")
    get_program(rpc, mint, world.clock())
    ledger.write_metaplex(mint, "New", "NEW")
    world.clock.forward(hours=23)
    assert get_program(rpc, mint, world.clock()) == SPL_TOKEN
    assert endpoint.calls == {"getMultipleAccounts": 1}
    kept = Token.get_by_id(mint)
    assert (kept.decimals, kept.name, kept.symbol) == (0, "Große Münze", "GM")

    world.clock.forward(hours=1)
    get_program(rpc, mint, world.clock())
    kept = Token.get_by_id(mint)
    assert (kept.name, kept.observed_at) == ("New", world.clock())

    world.clock.forward(days=2)
    endpoint.stop()
    assert get_program(rpc, mint, world.clock()) == SPL_TOKEN
    assert Token.get_by_id(mint).observed_at == kept.observed_at


@pytest.mark.usefixtures("app")
def test_proposal_stores_nothing(rpc, mint):
    assert propose_token(rpc, mint).symbol == "GM"
    assert not Token.select().exists()


@pytest.mark.parametrize(
    ("raw", "said", "calls"),
    [
        pytest.param("EPj", "'EPj' isn't a Solana address.", 0, id="no address"),
        pytest.param(USDC, f"{USDC} is not the mint of a token.", 1, id="no mint"),
    ],
)
def test_proposal_needs_the_address_of_a_mint(endpoint, rpc, raw, said, calls):
    with pytest.raises(InvalidInput, match=f"^{said}$") as refusal:
        propose_token(rpc, raw)

    assert refusal.value.field == "token_mint"
    assert endpoint.calls.total() == calls


def test_proposal_says_that_no_endpoint_answers(endpoint, rpc, mint):
    endpoint.fail(answer_status(503))

    with pytest.raises(InvalidInput, match=r"right now\..*HTTP status 503") as refusal:
        propose_token(rpc, mint)

    assert refusal.value.field is None


def test_proposal_says_that_no_endpoint_is_set():
    with pytest.raises(InvalidInput, match="isn't connected to an RPC server"):
        propose_token(None, USDC)
