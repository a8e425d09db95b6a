"""Answers about balances that cannot be right: they are refused, and the next endpoint is asked."""

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022, Ledger
from chain.rpc_server import run_rpc
from support.rpc_access import PatientClock, connect, read
from support.rpc_faults import WRONG_RESULTS, amount_of, change, change_first, info_of
from support.world import Visitor

from embed.balances.token_accounts import read_all_accounts

pytestmark = pytest.mark.slow


def make_address() -> str:
    return Visitor().address


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
    "NaN": lambda account: amount_of(account).update(uiAmountString="NaN"),
    "comma": lambda account: amount_of(account).update(uiAmountString="1,5"),
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


def test_lie_about_an_associated_accounts_owner_leaves_the_wallet_out(ledger, endpoint):
    mint, first, second = ledger.create_mint(0), make_address(), make_address()
    for holder in (first, second):
        ledger.mint_to(holder, mint, 7)
    endpoint.fail(change_first(lambda account: info_of(account).update(owner=make_address())))

    assert read(connect(endpoint), ledger, mint, first, second) == {second: 7}


def test_endpoint_of_another_network_is_refused_although_all_would_hold_nothing(ledger, caplog):
    mint, holder = ledger.create_mint(0), make_address()
    ledger.mint_to(holder, mint, 7)
    with run_rpc(Ledger()) as elsewhere, run_rpc(ledger) as here:
        assert read(connect(elsewhere, here), ledger, mint, holder) == {holder: 7}

    assert "RPC server 1 of 2, getMultipleAccounts: its answer is invalid" in caplog.text
    assert "it may be from another network" in caplog.text
