"""Amounts that are not stored: mints of Token-2022 can make wallets show almost any number."""

from datetime import timedelta

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022
from support.fake_chain import COMPLETE
from support.rpc_access import PatientClock, connect, read
from support.rpc_faults import amount_of, change_first
from support.world import USDC, Visitor

from embed.balances.mints import read_scaled_supply
from embed.balances.rpc_results import UnusableAmount
from embed.balances.token_accounts import read_all_accounts
from embed.db.models import ChainBalance

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

SHOWN = {
    "a little too large": "100000000000000000000.1",
    "infinite": "inf",
    "a little too fine": "0." + "1" * 21,
}
by_shown = pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN.keys())


@by_shown
def test_wallet_is_left_out_of_its_batch_and_logged(ledger, endpoint, caplog, shown):
    mint, *holders = ledger.create_mint(0), *(Visitor().address for _ in range(99))
    for number, holder in enumerate(holders):
        ledger.mint_to(holder, mint, number)
    endpoint.fail(change_first(lambda account: amount_of(account).update(uiAmountString=shown)))

    # Nothing is waited for: the answer is not refused.
    amounts = read(connect(endpoint, clock=PatientClock()), ledger, mint, *holders)

    assert amounts == {holder: number for number, holder in enumerate(holders) if number}
    assert endpoint.calls.total() == 1
    assert "1 of 99 token accounts" in caplog.text
    assert "too large or too precise" in caplog.text


@by_shown
def test_complete_read_says_so_at_once(ledger, endpoint, shown):
    mint, holder = ledger.create_mint(0), Visitor().address
    ledger.mint_to(holder, mint, 1)
    endpoint.fail(change_first(lambda account: amount_of(account).update(uiAmountString=shown)))

    with pytest.raises(UnusableAmount):
        read_all_accounts(connect(endpoint), mint, SPL_TOKEN, holder)

    assert endpoint.calls.total() == 1


def test_supply_is_unknown_then(ledger, endpoint):
    mint = ledger.create_mint(6, program=SPL_TOKEN_2022, multiplier=1.7e308)
    ledger.mint_to(Visitor().address, mint, 2**64 - 1)

    assert read_scaled_supply(connect(endpoint), mint) is None


class TestService:
    @pytest.fixture
    def rich(self, world, chain) -> str:
        """A holder of more than is stored, of a mint that multiplies."""
        mint = chain.ledger.create_mint(6, program=SPL_TOKEN_2022, multiplier=1e16)
        world.configure(token_mint=mint, min_balance=1)
        visitor = Visitor()
        chain.ledger.mint_to(visitor.address, mint, 2**63)
        world.track(visitor.address)
        return visitor.address

    def test_refresh_reads_all_other_wallets(self, world, chain, rich, run, caplog):
        mint = world.page.token_mint
        here, there = Visitor().address, Visitor().address
        chain.ledger.mint_to(here, mint, 10**6)
        world.track(here)
        chain.hold(there, 7)
        world.track(there, page_id=world.make_page(token_mint=USDC))

        for observed in (2, 2):
            summary = run()
            assert (summary.observed, summary.failure) == (observed, None)
            world.clock.now += timedelta(hours=1)

        rows = ChainBalance.select(ChainBalance.address, ChainBalance.amount).tuples()
        assert dict(rows) == {here: 10**16, there: 7}
        assert "too large or too precise" in caplog.text
        assert chain.calls[COMPLETE] == 4  # both others in both runs
