"""The demo's chain: wallets trade on it, and the service asks it as it asks any endpoint."""

import random

import pytest
from rpc_access import PatientClock, connect
from world import Visitor

from embed.balances.solana_rpc import RpcUnavailable
from embed.balances.token_accounts import read_all_accounts
from embed.demo.ledger.ledger import SPL_TOKEN
from embed.demo.market import UNITS, WELCOME, Market


@pytest.fixture
def market():
    amounts = {Visitor().address: number * UNITS for number in (1000, 2000, 3000)}
    market = Market(Visitor().address, "Demo Dollar", "DEMO", amounts)
    yield market, list(amounts)
    market.stop()


def read(market: Market, address: str) -> int:
    found = read_all_accounts(connect(market), market.mint, SPL_TOKEN, address)
    return int(found.amount * UNITS)


def test_trading_moves_tokens_and_makes_and_loses_none(market):
    market, addresses = market
    before = [read(market, address) for address in addresses]

    for _ in range(5):
        market.trade(random.Random(1))

    after = [read(market, address) for address in addresses]
    assert after != before
    assert sum(after) == sum(before) == 6000 * UNITS


def test_wallet_gets_tokens_when_it_is_first_asked_for_unless_it_is_penniless(market):
    market, _ = market
    visitor, penniless = Visitor().address, Visitor().address
    market.penniless.add(penniless)

    assert read(market, visitor) == read(market, visitor) == WELCOME
    assert read(market, penniless) == 0


def test_nothing_is_said_of_other_tokens_so_that_no_page_loses_its_balances(market):
    market, addresses = market
    rpc = connect(market, clock=PatientClock())

    with pytest.raises(RpcUnavailable):
        read_all_accounts(rpc, Visitor().address, SPL_TOKEN, addresses[0])


def test_slots_of_a_later_run_are_newer(market):
    first, _ = market
    second = Market(Visitor().address, "Demo Dollar", "DEMO", {Visitor().address: UNITS})
    second.stop()

    assert second.ledger.slot >= first.ledger.slot - 100  # a slot for each transaction
