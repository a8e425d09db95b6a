"""Balances as the chain has them."""

from decimal import Decimal
from math import ceil

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022, find_associated, make_address
from support.rpc_access import read

from embed.balances.mints import read_token
from embed.balances.rpc_endpoint import INVALID_PARAMS, MAX_ANSWER_BYTES
from embed.balances.solana_rpc import UnusableAnswer
from embed.balances.token_accounts import read_all_accounts

pytestmark = pytest.mark.slow

PROGRAMS = [SPL_TOKEN, SPL_TOKEN_2022]
by_program = pytest.mark.parametrize("program", PROGRAMS, ids=["spl-token", "token-2022"])
MAX_UNITS = 2**64 - 1


@by_program
@pytest.mark.parametrize(
    ("decimals", "units", "amount"),
    [
        (6, 1_250_500_000, "1250.5"),
        (9, MAX_UNITS, "18446744073.709551615"),
        (20, MAX_UNITS, "0.18446744073709551615"),
        (6, 0, "0"),
    ],
)
def test_balance_is_exact_in_whole_tokens(ledger, rpc, program, decimals, units, amount):
    mint, holder = ledger.create_mint(decimals, program=program), make_address()
    ledger.mint_to(holder, mint, units)

    assert read(rpc, ledger, mint, holder) == {holder: Decimal(amount)}
    all_accounts = read_all_accounts(rpc, mint, program, holder)
    assert (all_accounts.amount, all_accounts.other_amount) == (Decimal(amount), 0)
    assert all_accounts.slot == ledger.slot


def test_account_that_only_holds_lamports_holds_no_tokens(ledger, rpc):
    """Anybody can send lamports to the address of someone's token account."""
    mint, holder, other = ledger.create_mint(0), make_address(), make_address()
    ledger.pay(find_associated(holder, mint, SPL_TOKEN), 10**6)
    ledger.mint_to(other, mint, 5)

    assert read(rpc, ledger, mint, holder, other) == {holder: 0, other: 5}


def refuse_many(most: int, *, status: int = 413, body: bytes = b"Payload too large"):
    """Refuse calls for more addresses as a provider's front does, before its RPC server."""

    def answer(handler, whole):
        if len(whole["result"]["value"]) > most:
            handler.send(body, status)
        else:
            handler.send_json(whole)

    return answer


@pytest.mark.parametrize("most", [50, 1])
@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(lambda endpoint, most: endpoint.take(most), id="-32602"),
        pytest.param(lambda endpoint, most: endpoint.fail(refuse_many(most)), id="413"),
        pytest.param(
            lambda endpoint, most: endpoint.fail(
                refuse_many(most, status=200, body=b" " * MAX_ANSWER_BYTES)
            ),
            id="4 MiB",
        ),
    ],
)
def test_server_that_takes_fewer_addresses_is_asked_for_fewer(ledger, endpoint, rpc, most, limit):
    limit(endpoint, most)
    mint = ledger.create_mint(0)
    expected = {make_address(): Decimal(number) for number in range(60)}
    for address, amount in expected.items():
        ledger.mint_to(address, mint, int(amount))

    assert read(rpc, ledger, mint, *expected) == expected
    assert read_token(rpc, mint).program == SPL_TOKEN
    first = endpoint.calls.total()
    assert read(rpc, ledger, mint, *expected) == expected
    assert endpoint.calls.total() - first <= ceil(61 / max(1, most // 2))  # its size is known now


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("Too many inputs;\nmax 0.", ": “Too many inputs; max 0”"),
        ("Your key a-secret has no such method", ""),
        ("\x1b[31mred", ""),
    ],
)
def test_what_a_server_says_is_quoted_unless_it_has_its_address(
    ledger, endpoint, rpc, said, quoted
):
    mint = ledger.create_mint(0)

    def refuse(handler, whole):
        error = {"code": INVALID_PARAMS, "message": said}
        handler.send_json({"jsonrpc": "2.0", "id": whole["id"], "error": error})

    endpoint.fail(refuse)

    with pytest.raises(UnusableAnswer) as failure:
        read(rpc, ledger, mint, make_address())
    assert str(failure.value) == f"The RPC server refused the call (error -32602{quoted})."


@by_program
def test_accounts_besides_the_associated_one_are_found(ledger, rpc, program):
    mint, holder = ledger.create_mint(9, program=program), make_address()
    ledger.mint_to(holder, mint, 1)
    for _ in range(2):
        ledger.open_auxiliary_account(holder, mint, MAX_UNITS // 4)

    assert read(rpc, ledger, mint, holder) == {holder: Decimal("0.000000001")}
    found = read_all_accounts(rpc, mint, program, holder)
    assert found.other_amount == Decimal("9223372036.854775806")
    assert found.amount == Decimal("9223372036.854775807")


def test_account_given_to_another_owner_counts_for_that_owner(ledger, rpc, caplog):
    mint, first, second, third = ledger.create_mint(0), *(make_address() for _ in range(3))
    ledger.mint_to(first, mint, 5)
    ledger.mint_to(third, mint, 7)
    ledger.give_associated(first, mint, second)

    assert read(rpc, ledger, mint, first, second, third) == {second: 0, third: 7}
    assert "1 of 3 token accounts" in caplog.text
    assert read_all_accounts(rpc, mint, SPL_TOKEN, first).amount == 0
    assert read_all_accounts(rpc, mint, SPL_TOKEN, second).amount == 5


def test_scaled_balance_is_the_one_that_wallets_show(ledger, rpc):
    mint = ledger.create_mint(2, program=SPL_TOKEN_2022, multiplier=2.5)
    holder = make_address()
    ledger.mint_to(holder, mint, 1001)
    ledger.open_auxiliary_account(holder, mint, 1000)

    assert read(rpc, ledger, mint, holder) == {holder: Decimal("25.02")}
    found = read_all_accounts(rpc, mint, SPL_TOKEN_2022, holder)
    assert (found.amount, found.other_amount) == (Decimal("50.02"), 25)

    ledger.set_multiplier(mint, 10.0)
    assert read(rpc, ledger, mint, holder) == {holder: Decimal("100.1")}
