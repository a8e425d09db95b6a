"""The demo's chain: wallets trade on it, and the service asks it as it asks any endpoint."""

import socket
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from chain.ledger import SPL_TOKEN, Ledger
from chain.rpc_methods import Methods
from support.rpc_access import PatientClock, connect
from support.world import Visitor

from embed.balances.largest_holders import look_up_largest_holders
from embed.balances.mints import read_token
from embed.balances.program_addresses import derive_token_account
from embed.balances.rpc_results import PARSED
from embed.balances.solana_rpc import RpcUnavailable
from embed.balances.token_accounts import read_all_accounts, read_associated
from embed.demo.command import RPC_PATH, create_site, serve
from embed.demo.market import DECIMALS, SUPPLY, UNITS, WELCOME, Market


@pytest.fixture
def addresses() -> list[str]:
    return [Visitor().address for _ in range(3)]


@pytest.fixture
def market(addresses) -> Market:
    amounts = {each: number * UNITS for number, each in enumerate(addresses, start=1)}
    return Market(Visitor().address, amounts)


@pytest.fixture
def rpc(market):
    site = create_site("", "", market, SimpleQueue(), {})
    with socket.create_server(("127.0.0.1", 0)) as listener, serve(site, listener):
        url = f"http://127.0.0.1:{listener.getsockname()[1]}{RPC_PATH}"
        yield connect(SimpleNamespace(url=url), clock=PatientClock())


def read(rpc, market: Market, *addresses: str) -> list[int]:
    """Read as the sweep does."""
    accounts = {each: derive_token_account(each, market.mint, SPL_TOKEN) for each in addresses}
    amounts = read_associated(rpc, market.mint, accounts).amounts
    return [int(amounts[each] * UNITS) for each in addresses]


def read_completely(rpc, market: Market, address: str) -> int:
    found = read_all_accounts(rpc, market.mint, SPL_TOKEN, address)
    return int(found.amount * UNITS)


def test_wallets_trade_and_make_and_lose_no_token(market, rpc, addresses):
    before, after = (read(rpc, market, *addresses) for _ in range(2))

    assert after != before
    assert sum(after) == sum(before) == 6 * UNITS


def test_token_has_its_decimals_and_supply(market, rpc, addresses):
    assert read_token(rpc, market.mint).decimals == DECIMALS
    account = derive_token_account(addresses[0], market.mint, SPL_TOKEN)
    assert read_associated(rpc, market.mint, {addresses[0]: account}).supply == SUPPLY


def test_largest_holders_are_told(market, rpc, addresses):
    found = look_up_largest_holders(rpc, market.mint)

    assert list(found.amounts) == addresses[::-1]
    assert found.supply == SUPPLY


def test_wallet_gets_tokens_when_it_is_first_asked_for_unless_it_is_penniless(market, rpc):
    visitor, penniless = Visitor().address, Visitor().address
    market.penniless.add(penniless)

    assert read_completely(rpc, market, visitor) == WELCOME
    assert read_completely(rpc, market, visitor) == WELCOME
    assert read_completely(rpc, market, penniless) == 0
    assert read(rpc, market, visitor, penniless) == [WELCOME, 0]


def test_nothing_is_said_of_other_tokens_so_that_no_page_loses_its_balances(rpc, addresses):
    other = Visitor().address
    account = derive_token_account(addresses[0], other, SPL_TOKEN)

    for ask in (
        lambda: read_token(rpc, other),
        lambda: read_associated(rpc, other, {addresses[0]: account}),
        lambda: read_all_accounts(rpc, other, SPL_TOKEN, addresses[0]),
    ):
        with pytest.raises(RpcUnavailable):
            ask()


def test_slots_of_a_later_run_are_newer(market):
    later = Market(Visitor().address, {Visitor().address: UNITS})

    assert later.slot >= market.slot - 100  # a slot for each change


def find_same(theirs, ours):
    """Return of their answer what ours has as well, except the slot."""
    if isinstance(ours, dict):
        return {
            key: ours[key] if key == "slot" else find_same(theirs[key], ours[key]) for key in ours
        }
    if isinstance(ours, list):
        return [find_same(*pair) for pair in zip(theirs, ours, strict=True)]
    return theirs


def test_answers_have_nothing_but_what_a_ledger_answers_with_the_real_token_program(
    market, addresses
):
    ledger = Ledger()
    ledger.create_mint(DECIMALS, address=market.mint)
    for number, address in enumerate(addresses, start=1):
        ledger.mint_to(address, market.mint, number * UNITS)
    ledger.mint_to(Visitor().address, market.mint, (SUPPLY - 6) * UNITS)  # all others
    accounts = [derive_token_account(each, market.mint, SPL_TOKEN) for each in addresses]

    market.trade = lambda: None
    for method, params in (
        ("getMultipleAccounts", [[*accounts, market.mint], PARSED]),
        ("getTokenAccountsByOwner", [addresses[1], {"mint": market.mint}, PARSED]),
    ):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        ours = market.answer(request)["result"]
        assert ours == find_same(Methods(ledger).answer(method, params), ours)
