"""The supply of a token: read with the balances, kept with the mint, shown as of the same units."""

from decimal import Decimal

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022
from chain.rpc_methods import RpcError
from support.rpc_access import PatientClock, connect
from support.rpc_faults import change, info_of
from support.world import USDC, Visitor

from embed.balances.known import BalanceSource
from embed.balances.mints import read_scaled_supply
from embed.balances.solana_rpc import RpcUnavailable
from embed.balances.token_accounts import read_associated
from embed.domain.addresses import derive_token_account
from embed.public_payload import get_payload

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

MAX_UNITS = 2**64 - 1


def read_supply(rpc, ledger, mint) -> Decimal | None:
    """Read it as the sweep does."""
    holder, program = Visitor().address, ledger.mints[mint].program
    account = derive_token_account(holder, mint, program)
    return read_associated(rpc, mint, {holder: account}).supply


# What the chain says


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize("program", [SPL_TOKEN, SPL_TOKEN_2022], ids=["spl-token", "token-2022"])
@pytest.mark.parametrize(
    ("decimals", "units", "supply"),
    [
        (6, 1_250_500_000, "1250.5"),
        (9, MAX_UNITS, "18446744073.709551615"),
        (20, MAX_UNITS, "0.18446744073709551615"),
    ],
)
def test_supply_is_exact_and_takes_no_call_of_its_own(
    ledger, endpoint, rpc, program, decimals, units, supply
):
    mint = ledger.create_mint(decimals, program=program)
    ledger.mint_to(Visitor().address, mint, units)

    assert read_supply(rpc, ledger, mint) == Decimal(supply)
    assert endpoint.calls == {"getMultipleAccounts": 1}


@pytest.mark.databases("sqlite")
def test_supply_that_wallets_show_scaled_is_asked_for_in_their_units(ledger, rpc):
    mint = ledger.create_mint(2, program=SPL_TOKEN_2022, multiplier=2.5)
    ledger.mint_to(Visitor().address, mint, 2001)

    assert read_supply(rpc, ledger, mint) is None
    assert read_scaled_supply(rpc, mint) == Decimal(ledger.display(mint, 2001))


LIES = {
    "another program's": lambda mint: mint.update(owner="1" * 32),
    "not parsed": lambda mint: mint.update(data=["AAAA", "base64"]),
    "no mint": lambda mint: mint["data"]["parsed"].update(type="account"),
    "with decimals": lambda mint: info_of(mint).update(supply="5.5"),
    "more than a u64": lambda mint: info_of(mint).update(supply=str(2**64)),
    "endless": lambda mint: info_of(mint).update(supply="9" * 10_000),
    "of too fine units": lambda mint: info_of(mint).update(decimals=255),
}


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_answer_with_a_wrong_supply_is_refused_whole(ledger, endpoint, lie):
    mint = ledger.create_mint()
    endpoint.fail(change(lambda answer: lie(answer["result"]["value"][-1])))

    with pytest.raises(RpcUnavailable, match="its answer is invalid"):
        read_supply(connect(endpoint, clock=PatientClock()), ledger, mint)


# What is kept


def read_details(world) -> dict:
    """Return what the widget learns of the page."""
    return get_payload(world.page_id, world.page.version, world.balances).details


class TestService:
    @pytest.fixture
    def run(self, world, run):
        def run_once_an_hour():
            world.clock.forward(hours=1)
            return run()

        return run_once_an_hour

    def test_sweep_keeps_the_supply_with_its_time(self, world, chain, run):
        holder = Visitor().address
        world.track(holder)
        chain.hold(holder, 25)
        chain.hold(Visitor().address, 75)

        run()

        supply = world.balances.find_supply(world.page.token_mint)
        assert (supply.amount, supply.observed_at) == (100, world.clock())
        assert BalanceSource(uses_chain=False).find_supply(USDC) is None
        assert chain.calls["getTokenSupply"] == 0

    def test_page_gets_a_new_version_only_for_another_supply(self, world, chain, run):
        world.track(Visitor().address)
        run()
        known = world.page.version

        run()
        assert world.page.version == known

        chain.hold(Visitor().address, 1)  # a wallet that no page has
        run()
        assert world.page.version == known + 1
        assert read_details(world)["supply"] == 1

    def test_shares_of_a_scaled_mint_are_of_like_units(self, world, chain, run):
        mint = chain.ledger.create_mint(6, program=SPL_TOKEN_2022, multiplier=2.0)
        world.configure(token_mint=mint)
        holder = Visitor().address
        world.track(holder)
        chain.ledger.mint_to(holder, mint, 25 * 10**6)
        chain.ledger.mint_to(Visitor().address, mint, 75 * 10**6)

        for multiplier in (2, 3):
            chain.ledger.set_multiplier(mint, float(multiplier))
            run()
            page = read_details(world)
            assert page["supply"] == 100 * multiplier
            assert page["sums"].balance == 25 * multiplier

    def test_balances_are_kept_if_the_scaled_supply_is_refused(self, world, chain, run, caplog):
        mint = chain.ledger.create_mint(6, program=SPL_TOKEN_2022, multiplier=2.0)
        world.configure(token_mint=mint)
        holder = Visitor().address
        world.track(holder)
        chain.ledger.mint_to(holder, mint, 25 * 10**6)
        answer = chain._methods.answer

        def refuse(method, params):
            if method == "getTokenSupply":
                raise RpcError(-32601, "Method not found")
            return answer(method, params)

        chain._methods.answer = refuse

        assert run().failure is None
        assert world.read().json["wallets"][0]["tokenBalance"] == 50
        assert read_details(world)["supply"] is None
        assert f"The supply of the mint {mint} was not read." in caplog.text
