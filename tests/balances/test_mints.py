"""Mints as the chain has them, and addresses that are none."""

import struct

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022, make_address
from support.rpc_access import PatientClock, connect
from support.rpc_faults import WRONG_RESULTS, answer_error, change_first, info_of

from embed.balances.mints import NoSuchMint, read_token
from embed.balances.solana_rpc import RpcUnavailable
from embed.balances.token_accounts import read_all_accounts

pytestmark = pytest.mark.slow


def read_names(rpc, mint: str) -> tuple[str | None, str | None]:
    token = read_token(rpc, mint)
    return token.name, token.symbol


def test_mint_is_read_with_its_metaplex_names(ledger, rpc):
    mint = ledger.create_mint(6, name="USD Coin", symbol="USDC")

    info = read_token(rpc, mint)

    assert (info.mint, info.program, info.decimals) == (mint, SPL_TOKEN, 6)
    assert (info.name, info.symbol) == ("USD Coin", "USDC")


def test_token_2022_mint_is_read_with_its_own_names(ledger, rpc):
    how = {"name": "Größe €", "symbol": "GRÖ", "multiplier": 3.0}
    mint = ledger.create_mint(9, program=SPL_TOKEN_2022, **how)
    ledger.write_metaplex(mint, "Another", "OTHER")

    info = read_token(rpc, mint)

    assert (info.program, info.decimals) == (SPL_TOKEN_2022, 9)
    assert (info.name, info.symbol) == ("Größe €", "GRÖ")


@pytest.mark.parametrize("program", [SPL_TOKEN, SPL_TOKEN_2022], ids=["metaplex", "token-2022"])
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("\U0001f9d1\U0001f3fd\u200d\U0001f4bb Dev",) * 2,  # joined, with a tone
        ("\U0001fae9",) * 2,  # of 2024
        *((text, None) for text in ("", "bell \a", "two\nlines", "\u202eCDSU", "\u200d\u2060")),
    ],
    ids=ascii,
)
def test_names_may_have_every_emoji_and_only_what_can_be_printed(ledger, rpc, program, text, kept):
    mint = ledger.create_mint(program=program, name=text, symbol=text)

    assert read_names(rpc, mint) == (kept, kept)


def test_names_that_are_too_long_for_a_page_are_none(ledger, rpc):
    longest, longer = (
        ledger.create_mint(
            program=SPL_TOKEN_2022, name="N" * (100 + more), symbol="S" * (20 + more)
        )
        for more in (0, 1)
    )

    assert read_names(rpc, longest) == ("N" * 100, "S" * 20)
    assert read_names(rpc, longer) == (None, None)


SPOIL = {
    "of another kind": lambda data: b"\6" + data[1:],
    "of another mint": lambda data: data[:33] + bytes(32) + data[65:],
    "endless": lambda data: data[:65] + struct.pack("<I", 2**32 - 1) + data[69:],
    "not UTF-8": lambda data: data[:69] + b"\xff" + data[70:],
    "cut off": lambda data: data[:80],
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("spoil", SPOIL.values(), ids=SPOIL)
def test_metadata_of_another_form_has_no_names(ledger, rpc, spoil):
    mint = ledger.create_mint(name="USD Coin", symbol="USDC")
    account = ledger.write_metaplex(mint, "USD Coin", "USDC")
    found = ledger.find_account(account)
    ledger.set_account(account, spoil(found.data), str(found.owner))

    assert read_names(rpc, mint) == (None, None)


def test_address_that_is_no_mint_is_reported(ledger, rpc):
    mint, wallet, nobody = ledger.create_mint(), make_address(), make_address()
    ledger.pay(wallet, 10**6)
    program_account = make_address()
    ledger.set_account(program_account, bytes(200), make_address())

    for address in (nobody, wallet, ledger.mint_to(wallet, mint, 1), program_account):
        with pytest.raises(NoSuchMint, match=f"^{address} is not the mint of a token.$"):
            read_token(rpc, address)


def test_mint_of_too_many_decimals_is_reported(ledger, rpc):
    mint = ledger.create_mint(21)

    with pytest.raises(NoSuchMint, match="has 21 decimals; at most 20 work"):
        read_token(rpc, mint)


def test_missing_mint_is_reported_after_one_call(ledger, endpoint):
    clock = PatientClock()

    with pytest.raises(NoSuchMint):
        read_all_accounts(connect(endpoint, clock=clock), make_address(), SPL_TOKEN, make_address())

    assert endpoint.calls.total() == 1
    assert clock.waits == []


@pytest.mark.parametrize("code", [-32600, -32010])
def test_method_that_is_off_is_no_missing_mint(ledger, endpoint, rpc, code):
    mint = ledger.create_mint()
    endpoint.fail(answer_error(code))

    with pytest.raises(RpcUnavailable, match=f"error {code}"):
        read_all_accounts(rpc, mint, SPL_TOKEN, make_address())


MINT_LIES = WRONG_RESULTS | {
    name: change_first(lie)
    for name, lie in {
        "not parsed": lambda account: account.update(data=["AAAA", "base64"]),
        "no decimals": lambda account: info_of(account).pop("decimals"),
        "decimals as text": lambda account: info_of(account).update(decimals="6"),
        "metadata of another form": lambda account: info_of(account).update(
            extensions=[{"extension": "tokenMetadata", "state": 5}]
        ),
    }.items()
}


@pytest.mark.parametrize("fault", MINT_LIES.values(), ids=MINT_LIES.keys())
def test_wrong_mint_is_refused(ledger, endpoint, rpc, fault):
    mint = ledger.create_mint()
    endpoint.fail(fault)

    with pytest.raises(RpcUnavailable, match="its answer is invalid"):
        read_token(rpc, mint, timeout_s=3)
