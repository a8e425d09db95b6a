"""Answers about balances that are refused, and amounts that are not stored."""

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022, Ledger, make_address
from chain.rpc_server import run_rpc
from support.rpc_access import PatientClock, connect, read
from support.rpc_faults import WRONG_RESULTS, amount_of, change, change_first, info_of

from embed.balances.mints import read_scaled_supply
from embed.balances.rpc_results import UnusableAmount
from embed.balances.token_accounts import read_all_accounts

pytestmark = pytest.mark.slow


ACCOUNT_LIES = {
    "other program": lambda account: account.update(owner=make_address()),
    "other mint": lambda account: info_of(account).update(mint=make_address()),
    "too small": lambda account: account["data"].update(space=164),
    "a mint": lambda account: account["data"]["parsed"].update(type="mint"),
    "not parsed": lambda account: account.update(data=["AAAA", "base64"]),
    "no info": lambda account: account["data"]["parsed"].pop("info"),
    "owner of another type": lambda account: info_of(account).update(owner=5),
    "negative as shown": lambda account: amount_of(account).update(uiAmountString="-5"),
    "number": lambda account: amount_of(account).update(amount=5, uiAmountString=5),
    "exponent": lambda account: amount_of(account).update(uiAmountString="1e5"),
    "other digits": lambda account: amount_of(account).update(uiAmountString="٥"),
    "too many digits": lambda account: amount_of(account).update(uiAmountString="9" * 5000),
    "more than u64": lambda account: amount_of(account).update(amount=str(2**64)),
    "negative decimals": lambda account: amount_of(account).update(decimals=-1),
}


LIES = WRONG_RESULTS | {name: change_first(lie) for name, lie in ACCOUNT_LIES.items()}
METHODS = {
    "getMultipleAccounts": lambda rpc, ledger, mint, holder: read(rpc, ledger, mint, holder)[
        holder
    ],
    "getTokenAccountsByOwner": lambda rpc, _, mint, holder: (
        read_all_accounts(rpc, mint, SPL_TOKEN, holder).amount
    ),
}


def check_refused(ledger, endpoint, caplog, ask, fault) -> None:
    """Expect that the first endpoint's answer is refused and logged, and the second's taken."""
    mint, holder = ledger.create_mint(0), make_address()
    ledger.mint_to(holder, mint, 7)
    endpoint.fail(fault)
    with run_rpc(ledger) as second:
        assert ask(connect(endpoint, second, clock=PatientClock()), ledger, mint, holder) == 7
    assert (endpoint.calls.total(), second.calls.total()) == (1, 1)
    assert "its answer is invalid" in caplog.text
    assert "a-secret" not in caplog.text


@pytest.mark.parametrize("ask", METHODS.values(), ids=METHODS.keys())
@pytest.mark.parametrize("fault", LIES.values(), ids=LIES.keys())
def test_wrong_balance_is_refused_and_logged(ledger, endpoint, caplog, ask, fault):
    check_refused(ledger, endpoint, caplog, ask, fault)


@pytest.mark.parametrize(
    "change_rows", [list.clear, lambda rows: rows.append(None), lambda rows: rows.extend(rows)]
)
def test_other_number_of_accounts_is_refused(ledger, endpoint, caplog, change_rows):
    fault = change(lambda answer: change_rows(answer["result"]["value"]))

    check_refused(ledger, endpoint, caplog, METHODS["getMultipleAccounts"], fault)


WRONG_OWNERS = {
    "another owner's": lambda rows: info_of(rows[0]["account"]).update(owner=make_address()),
    "one twice": lambda rows: rows.extend(rows),
    "of another program": lambda rows: rows[0]["account"].update(owner=SPL_TOKEN_2022),
}


@pytest.mark.parametrize("lie", WRONG_OWNERS.values(), ids=WRONG_OWNERS)
def test_accounts_that_are_not_the_owners_are_refused(ledger, endpoint, caplog, lie):
    fault = change(lambda answer: lie(answer["result"]["value"]))

    check_refused(ledger, endpoint, caplog, METHODS["getTokenAccountsByOwner"], fault)


def test_endpoint_of_another_network_is_refused_although_all_would_hold_nothing(ledger, caplog):
    mint, holder = ledger.create_mint(0), make_address()
    ledger.mint_to(holder, mint, 7)
    with run_rpc(Ledger()) as elsewhere, run_rpc(ledger) as here:
        assert read(connect(elsewhere, here), ledger, mint, holder) == {holder: 7}

    assert "RPC server 1 of 2, getMultipleAccounts: its answer is invalid" in caplog.text
    assert "it may be from another network" in caplog.text


# Amounts that may be right, and are not stored: mints of Token-2022 can scale what wallets show

SHOWN = {
    "a little too large": "100000000000000000000.1",
    "infinite": "inf",
    "a little too fine": "0." + "1" * 21,
}
by_shown = pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN.keys())


@by_shown
def test_wallet_is_left_out_of_its_batch_and_logged(ledger, endpoint, caplog, shown):
    mint, *holders = ledger.create_mint(0), *(make_address() for _ in range(99))
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
    mint, holder = ledger.create_mint(0), make_address()
    ledger.mint_to(holder, mint, 1)
    endpoint.fail(change_first(lambda account: amount_of(account).update(uiAmountString=shown)))

    with pytest.raises(UnusableAmount):
        read_all_accounts(connect(endpoint), mint, SPL_TOKEN, holder)

    assert endpoint.calls.total() == 1


def test_supply_is_unknown_then(ledger, endpoint):
    mint = ledger.create_mint(6, program=SPL_TOKEN_2022, multiplier=1.7e308)
    ledger.mint_to(make_address(), mint, 2**64 - 1)

    assert read_scaled_supply(connect(endpoint), mint) is None
