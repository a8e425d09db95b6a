import base58
import pytest

from embed.domain.addresses import is_address, parse_address, parse_pasted_address
from embed.errors import ApiError, InvalidInput

USDC = "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"


def encode(raw: bytes) -> str:
    return base58.b58encode(raw).decode()


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(USDC, id="44 characters"),
        pytest.param("So11111111111111111111111111111111111111112", id="43 characters"),
        pytest.param("1" * 32, id="32 zero bytes"),
        pytest.param(encode(b"\xff" * 32), id="the greatest 32 bytes"),
    ],
)
def test_address_of_32_bytes_comes_back_unchanged(address):
    assert parse_address(address) == address
    assert is_address(address)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="empty"),
        pytest.param("1" * 33, id="33 zero bytes"),
        pytest.param("z" * 44, id="44 characters that are 33 bytes"),
        pytest.param("1" * 5000, id="5000 characters"),
        pytest.param(f"{USDC}\n", id="newline at the end"),
        pytest.param(f"{USDC[:-1]}0", id="digit zero"),
        pytest.param(f"{USDC[:-1]}\ud800", id="lone surrogate"),
    ],
)
def test_anything_else_is_refused(raw):
    assert not is_address(raw)
    with pytest.raises(ApiError, match=r"^invalid_wallet_address$"):
        parse_address(raw)


@pytest.mark.parametrize(
    "pasted",
    [
        f"\u200b\ufeff  {USDC}\u00a0",
        f"\0\u2068{USDC}\u2069\u00ad\r\n",
        f"solana:{USDC}?amount=1&label=Ann",
        f"Wallet: {USDC}",
        f"https://explorer.solana.com/address/{USDC}/tokens",
        f"https://birdeye.so/token/{USDC}\u200b?chain=solana#holders",
        f"xray.helius.xyz/account/{USDC}/",
    ],
    ids=ascii,
)
def test_address_is_taken_as_it_is_pasted_but_not_by_programs(pasted):
    assert parse_pasted_address(pasted) == USDC
    assert not is_address(pasted)


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        (f"{USDC[:6]}0{USDC[7:]}", "“0” at place 7 isn't used in addresses."),
        (f" https://solscan.io/account/{USDC[:6]}l{USDC[7:]}?x", "“l” at place 7 isn't used"),
        (f"{USDC[:20]}\u200b{USDC[21:]}", "“U+200B” at place 21 isn't used"),
        (f"https://birdeye.so/token/{USDC}/{'1' * 32}", "isn't a Solana address."),  # which one?
        (f"https://solscan.io/tx/{'5' * 88}", "…' isn't a Solana address."),
        (f"x/{' ' * 2_000}{USDC}", "isn't a Solana address."),
    ],
    ids=ascii,
)
def test_what_has_no_address_is_told_with_the_wrong_letter(pasted, said):
    with pytest.raises(InvalidInput) as refusal:
        parse_pasted_address(pasted)

    assert said in str(refusal.value)
