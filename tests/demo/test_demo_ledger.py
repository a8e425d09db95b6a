"""The demo's ledger, which the service reads as it reads any RPC server."""

import threading
from decimal import Decimal
from types import SimpleNamespace

import pytest
from chain.ledger import SPL_TOKEN
from chain.ledger import Ledger as Chain
from chain.rpc_methods import Methods
from support.rpc_access import PatientClock, connect
from support.world import Visitor
from werkzeug.serving import make_server

from embed.balances.mints import read_token
from embed.balances.rpc_results import PARSED
from embed.balances.solana_rpc import RpcUnavailable
from embed.balances.token_accounts import (
    look_up_largest_holders,
    read_all_accounts,
    read_associated,
)
from embed.demo.command import RPC_PATH, create_site
from embed.demo.ledger import DECIMALS, SUPPLY, UNITS, WELCOME, Ledger
from embed.domain.addresses import derive_token_account


@pytest.fixture
def addresses() -> list[str]:
    return [Visitor().address for _ in range(3)]


@pytest.fixture
def ledger(addresses) -> Ledger:
    amounts = {each: Decimal(number) for number, each in enumerate(addresses, start=1)}
    return Ledger(Visitor().address, amounts)


@pytest.fixture
def rpc(ledger):
    with make_server("127.0.0.1", 0, create_site("", {}, ledger), threaded=True) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.port}{RPC_PATH}"
        yield connect(SimpleNamespace(url=url), clock=PatientClock())
        server.shutdown()


def read(rpc, ledger: Ledger, *addresses: str) -> list[Decimal]:
    """Read as the sweep does."""
    accounts = {each: derive_token_account(each, ledger.mint, SPL_TOKEN) for each in addresses}
    amounts = read_associated(rpc, ledger.mint, accounts).amounts
    return [amounts[each] for each in addresses]


def read_completely(rpc, ledger: Ledger, address: str) -> Decimal:
    return read_all_accounts(rpc, ledger.mint, SPL_TOKEN, address).amount


def test_token_is_held_as_it_was_given_out(ledger, rpc, addresses):
    account = derive_token_account(addresses[0], ledger.mint, SPL_TOKEN)
    found = look_up_largest_holders(rpc, ledger.mint)

    assert read(rpc, ledger, *addresses) == [1, 2, 3]
    assert read_token(rpc, ledger.mint).decimals == DECIMALS
    assert read_associated(rpc, ledger.mint, {addresses[0]: account}).supply == SUPPLY
    assert (list(found.amounts), found.supply) == (addresses[::-1], SUPPLY)


def test_wallet_gets_tokens_when_it_is_first_asked_for_unless_it_is_penniless(ledger, rpc):
    visitor, penniless = Visitor().address, Visitor().address
    ledger.penniless.add(penniless)

    assert read_completely(rpc, ledger, visitor) == WELCOME
    assert read_completely(rpc, ledger, visitor) == WELCOME
    assert read_completely(rpc, ledger, penniless) == 0
    assert read(rpc, ledger, visitor, penniless) == [WELCOME, 0]


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
    ledger, addresses
):
    chain = Chain()
    chain.create_mint(DECIMALS, address=ledger.mint)
    for number, address in enumerate(addresses, start=1):
        chain.mint_to(address, ledger.mint, number * UNITS)
    chain.mint_to(Visitor().address, ledger.mint, (SUPPLY - 6) * UNITS)  # all others
    accounts = [derive_token_account(each, ledger.mint, SPL_TOKEN) for each in addresses]

    for method, params in (
        ("getMultipleAccounts", [[*accounts, ledger.mint], PARSED]),
        ("getTokenAccountsByOwner", [addresses[1], {"mint": ledger.mint}, PARSED]),
    ):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        ours = ledger.answer(request)["result"]
        assert ours == find_same(Methods(chain).answer(method, params), ours)
