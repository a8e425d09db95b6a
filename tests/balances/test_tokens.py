"""What is kept of mints."""

import pytest
from chain.ledger import SPL_TOKEN_2022
from support.rpc_access import PatientClock, connect
from support.rpc_faults import answer_status
from support.world import USDC, Visitor

from embed.balances.tokens import find_token, get_token, propose_token
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


def test_token_is_read_once_and_kept(world, endpoint, rpc, mint):
    first = get_token(rpc, mint, world.clock())
    world.clock.forward(hours=23)
    again = get_token(rpc, mint, world.clock())

    assert endpoint.calls == {"getMultipleAccounts": 1}
    assert first == again == find_token(mint)
    assert (again.program, again.decimals) == (SPL_TOKEN_2022, 9)
    assert (again.name, again.symbol) == ("Große Münze", "GM")
    assert again.problem is None


def test_token_is_read_again_after_a_day(world, ledger, rpc, mint):
    get_token(rpc, mint, world.clock())
    ledger.write_metaplex(other := ledger.create_mint(0), "Old", "OLD")
    get_token(rpc, other, world.clock())
    ledger.write_metaplex(other, "New", "NEW")
    world.clock.forward(days=1)

    assert get_token(rpc, other, world.clock()).name == "New"
    assert find_token(other).observed_at == world.clock()


def test_token_stays_known_while_no_endpoint_answers(world, endpoint, rpc, mint):
    known = get_token(rpc, mint, world.clock())
    world.clock.forward(days=2)
    endpoint.stop()

    assert get_token(rpc, mint, world.clock()).observed_at == known.observed_at


def test_address_that_is_no_mint_is_reported_once(world, endpoint, rpc, caplog):
    for _ in range(3):
        token = get_token(rpc, USDC, world.clock())

    assert token.problem == f"{USDC} is not the mint of a token."
    assert (token.program, token.decimals) == (None, None)
    assert endpoint.calls.total() == 1
    assert caplog.messages == [f"Balances are not read: {token.problem}"]


def test_mint_that_came_to_exist_has_no_problem_the_next_day(world, ledger, rpc):
    get_token(rpc, USDC, world.clock())
    ledger.create_mint(6, address=USDC)
    world.clock.forward(days=1)

    token = get_token(rpc, USDC, world.clock())

    assert (token.problem, token.decimals) == (None, 6)


@pytest.mark.usefixtures("app")
def test_proposal_stores_nothing(rpc, mint):
    assert propose_token(rpc, mint).symbol == "GM"
    assert find_token(mint) is None


@pytest.mark.parametrize("raw", ["", "EPj", USDC + "\n", "0x00", "é" * 40, "\0"])
def test_proposal_needs_an_address(endpoint, rpc, raw):
    with pytest.raises(InvalidInput, match="is not a mint address") as refusal:
        propose_token(rpc, raw)

    assert refusal.value.field == "token_mint"
    assert endpoint.calls.total() == 0


def test_proposal_says_that_there_is_no_mint(rpc):
    with pytest.raises(InvalidInput, match=f"^{USDC} is not the mint of a token.$") as refusal:
        propose_token(rpc, USDC)

    assert refusal.value.field == "token_mint"


def test_proposal_says_that_no_endpoint_answers(endpoint, rpc, mint):
    endpoint.fail(answer_status(503))

    with pytest.raises(
        InvalidInput, match=r"cannot be looked up now\..*HTTP status 503"
    ) as refusal:
        propose_token(rpc, mint)

    assert refusal.value.field is None


def test_proposal_says_that_no_endpoint_is_set():
    with pytest.raises(InvalidInput, match="SOLANA_RPC_URL is not set"):
        propose_token(None, USDC)
