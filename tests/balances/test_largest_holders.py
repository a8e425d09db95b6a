"""The largest holders of a token, as endpoints tell, refuse to tell, or tell wrongly."""

from decimal import Decimal

import pytest
from chain.ledger import SPL_TOKEN_2022, make_address
from support import rpc_faults
from support.rpc_faults import (
    amount_of,
    answer_error,
    answer_status,
    change,
    info_of,
)
from support.world import USDC

from embed.balances.token_accounts import look_up_largest_holders
from embed.errors import InvalidInput

pytestmark = pytest.mark.slow

LARGEST, OWNERS = "getTokenLargestAccounts", "getMultipleAccounts"
REFUSED = "doesn't list the largest holders"
FAILED = "can't be looked up right now"
LAMPORTS = {"owner": "1" * 32, "data": ["", "base64"]}


def test_owners_are_told_with_all_of_their_large_accounts_most_first(ledger, endpoint, rpc):
    mint = ledger.create_mint(9, program=SPL_TOKEN_2022)
    small, large, split = (make_address() for _ in range(3))
    ledger.mint_to(small, mint, 1)
    ledger.mint_to(large, mint, 2**63)
    ledger.mint_to(split, mint, 2**62)
    ledger.open_auxiliary_account(split, mint, 2**62 - 2)

    found = look_up_largest_holders(rpc, mint)

    assert list(found.amounts.items()) == [
        (large, Decimal("9223372036.854775808")),
        (split, Decimal("9223372036.854775806")),
        (small, Decimal("0.000000001")),
    ]
    assert found.supply == Decimal("18446744073.709551615")
    assert endpoint.calls == {LARGEST: 1, OWNERS: 1}


@pytest.fixture
def held(ledger):
    """A mint with two holders."""
    mint = ledger.create_mint(0)
    for units in (7, 5):
        ledger.mint_to(make_address(), mint, units)
    return mint


def rows(edit):
    return change(lambda answer: edit(answer["result"]["value"]))


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda accounts: accounts.__setitem__(0, None), id="closed meanwhile"),
        pytest.param(lambda accounts: accounts.__setitem__(0, LAMPORTS), id="only lamports"),
        pytest.param(
            lambda accounts: amount_of(accounts[0]).update(uiAmountString="inf"),
            id="of an amount that no page can store",
        ),
    ],
)
def test_account_that_holds_nothing_usable_is_left_out(rpc, endpoint, held, edit):
    endpoint.fail(rows(edit), method=OWNERS)

    assert list(look_up_largest_holders(rpc, held).amounts.values()) == [5]


def refuse(rpc, mint: str) -> str:
    with pytest.raises(InvalidInput) as refusal:
        look_up_largest_holders(rpc, mint)
    assert "a-secret" not in str(refusal.value)
    return str(refusal.value)


@pytest.mark.parametrize("code", [-32010, -32601])
@pytest.mark.parametrize("method", [LARGEST, OWNERS])
def test_endpoint_that_refuses_the_question_is_told_so(rpc, endpoint, held, code, method):
    endpoint.fail(answer_error(code), method=method)

    sentence = refuse(rpc, held)

    assert REFUSED in sentence
    assert f"(error {code})" in sentence
    assert "another provider" in sentence


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (answer_status(403), "HTTP status 403"),
        (answer_status(429, Retry_After="7"), "too many requests"),
        (answer_error(-32603), "error -32603"),
        (rpc_faults.cut, ""),
        (rpc_faults.DEEP, "its answer is invalid"),
    ],
)
@pytest.mark.parametrize("method", [LARGEST, OWNERS])
def test_endpoint_that_fails_is_told_with_the_reason(rpc, endpoint, held, fault, reason, method):
    endpoint.fail(fault, method=method)

    sentence = refuse(rpc, held)

    assert FAILED in sentence
    assert reason in sentence


@pytest.mark.parametrize("mint", [USDC, "11111111111111111111111111111111"])
def test_address_that_is_no_mint_is_told(rpc, mint):
    assert refuse(rpc, mint) == f"{mint} is not the mint of a token."


def test_without_an_endpoint_the_setting_is_named():
    assert "isn't connected to an RPC server" in refuse(None, USDC)


WRONG_LISTS = {
    "10,000 rows": lambda found: found.extend([{"address": make_address()}] * 10_000),
    "one twice": lambda found: found.append(found[0]),
    "a number": lambda found: found.append({"address": 5}),
    "too few bytes": lambda found: found.append({"address": "1" * 40}),
    "a newline": lambda found: found.append({"address": make_address() + "\n"}),
}


@pytest.mark.parametrize("edit", WRONG_LISTS.values(), ids=WRONG_LISTS)
def test_wrong_list_of_accounts_is_refused(rpc, endpoint, held, edit):
    endpoint.fail(rows(edit), method=LARGEST)

    assert FAILED in refuse(rpc, held)


WRONG_OWNERS = {
    "another mint": lambda found: info_of(found[0]).update(mint=USDC),
    "more than u64": lambda found: amount_of(found[0]).update(amount=str(2**64)),
    "one more": lambda found: found.append(found[0]),
    "no mint": lambda found: found.__setitem__(-1, None),
    "account for the mint": lambda found: found.__setitem__(-1, found[0]),
    "owner that is none": lambda found: info_of(found[0]).update(owner="<script>" * 5),
}


@pytest.mark.parametrize("edit", WRONG_OWNERS.values(), ids=WRONG_OWNERS)
def test_wrong_owners_are_refused(rpc, endpoint, held, edit):
    endpoint.fail(rows(edit), method=OWNERS)

    assert FAILED in refuse(rpc, held)
