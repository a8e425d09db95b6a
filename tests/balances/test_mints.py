"""Mints as the chain has them, and addresses that are none."""

import struct

import pytest
from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022
from support.rpc_access import PatientClock, connect
from support.rpc_faults import WRONG_RESULTS, answer_error, change_first, info_of
from support.world import Visitor

from embed.balances.mints import NoSuchMint, read_token
from embed.balances.solana_rpc import RpcUnavailable
from embed.balances.token_accounts import read_all_accounts

pytestmark = pytest.mark.slow

# Joined, with a tone, a heart's selector, a keycap, of 2022 and 2024; flags; and joined letters.
EMOJI = [
    "\U0001f469\u200d\U0001f680",
    "\U0001f9d1\U0001f3fd\u200d\U0001f4bb Dev",
    "\u2764\ufe0f\u200d\U0001f525",
    "1\ufe0f\u20e3",
    "\U0001fae8\U0001fabf",
    "\U0001fae9",
    "\U0001f1e9\U0001f1ea",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\u0645\u06cc\u200c\u062e",
]


def make_address() -> str:
    return Visitor().address


def test_mint_is_read_with_its_metaplex_names(ledger, rpc):
    mint = ledger.create_mint(6, name="USD Coin", symbol="USDC")
    ledger.mint_to(make_address(), mint, 2_500_000)

    info = read_token(rpc, mint)

    assert (info.mint, info.program, info.decimals) == (mint, SPL_TOKEN, 6)
    assert (info.name, info.symbol) == ("USD Coin", "USDC")


def test_token_2022_mint_is_read_with_its_own_names(ledger, rpc):
    mint = ledger.create_mint(
        9, program=SPL_TOKEN_2022, name="Größe €", symbol="GRÖ", multiplier=3.0
    )
    ledger.write_metaplex(mint, "Another", "OTHER")

    info = read_token(rpc, mint)

    assert (info.program, info.decimals) == (SPL_TOKEN_2022, 9)
    assert (info.name, info.symbol) == ("Größe €", "GRÖ")


@pytest.mark.parametrize("text", EMOJI, ids=ascii)
def test_names_may_have_every_emoji(ledger, rpc, text):
    plain = ledger.create_mint(name=text, symbol=text)
    own = ledger.create_mint(program=SPL_TOKEN_2022, name=text, symbol=text)

    for mint in (plain, own):
        assert (read_token(rpc, mint).name, read_token(rpc, mint).symbol) == (text, text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "bell \a", "two\nlines", "\u202eCDSU", "a\0b", "\u200b", "\u200d\u2060", "\ue000"],
)
def test_names_that_cannot_be_printed_are_none(ledger, rpc, text):
    plain = ledger.create_mint(name=text, symbol=text)
    own = ledger.create_mint(program=SPL_TOKEN_2022, name=text, symbol=text)

    for mint in (plain, own):
        assert (read_token(rpc, mint).name, read_token(rpc, mint).symbol) == (None, None)


def test_names_that_are_too_long_for_a_page_are_none(ledger, rpc):
    mint = ledger.create_mint(program=SPL_TOKEN_2022, name="N" * 101, symbol="S" * 21)
    other = ledger.create_mint(program=SPL_TOKEN_2022, name="N" * 100, symbol="S" * 20)

    assert (read_token(rpc, mint).name, read_token(rpc, mint).symbol) == (None, None)
    assert (read_token(rpc, other).name, read_token(rpc, other).symbol) == ("N" * 100, "S" * 20)


def spoil_kind(data: bytes) -> bytes:
    return b"\6" + data[1:]


def spoil_mint(data: bytes) -> bytes:
    return data[:33] + bytes(32) + data[65:]


def spoil_length(data: bytes) -> bytes:
    return data[:65] + struct.pack("<I", 2**32 - 1) + data[69:]


def spoil_text(data: bytes) -> bytes:
    return data[:69] + b"\xff" + data[70:]


@pytest.mark.parametrize(
    "spoil",
    [spoil_kind, spoil_mint, spoil_length, spoil_text, lambda data: data[:80], lambda _: b""],
)
def test_metadata_of_another_form_has_no_names(ledger, rpc, spoil):
    mint = ledger.create_mint(name="USD Coin", symbol="USDC")
    account = ledger.write_metaplex(mint, "USD Coin", "USDC")
    found = ledger.find_account(account)
    ledger.set_account(account, spoil(found.data), str(found.owner))

    assert (read_token(rpc, mint).name, read_token(rpc, mint).symbol) == (None, None)


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


@pytest.mark.parametrize("code", [-32600, -32601, -32010])
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
        "negative decimals": lambda account: info_of(account).update(decimals=-1),
        "decimals as text": lambda account: info_of(account).update(decimals="6"),
        "no supply": lambda account: info_of(account).pop("supply"),
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
