"""The demo's ledger, which the service reads as it reads any RPC server."""

import threading
from decimal import Decimal
from types import SimpleNamespace

import pytest
from chain.ledger import SPL_TOKEN
from support.rpc_access import PatientClock, connect
from support.world import Visitor
from werkzeug.serving import make_server

from embed.balances.mints import read_token
from embed.balances.token_accounts import (
    look_up_largest_holders,
    read_all_accounts,
    read_associated,
)
from embed.demo.command import RPC_PATH, create_site
from embed.demo.ledger import DECIMALS, SUPPLY, WELCOME, Ledger
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
