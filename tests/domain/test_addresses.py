import base58
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.addresses import is_address, parse_address
from embed.errors import ApiError

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
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
        pytest.param("1" * 31, id="31 zero bytes"),
        pytest.param("1" * 33, id="33 zero bytes"),
        pytest.param("z" * 44, id="44 characters that are 33 bytes"),
        pytest.param("1" * 5000, id="5000 characters"),
        pytest.param(f"{USDC}\n", id="newline at the end"),
        pytest.param(f"{USDC}\0", id="NUL at the end"),
        pytest.param(f"{USDC[:-1]}0", id="digit zero"),
        pytest.param(f"{USDC[:-1]}\ud800", id="lone surrogate"),
        pytest.param(f"{USDC[:-1]}\uff11", id="fullwidth digit"),
        pytest.param("0x" + "ab" * 20, id="Ethereum address"),
    ],
)
def test_anything_else_is_refused(raw):
    assert not is_address(raw)
    with pytest.raises(ApiError, match=r"^invalid_wallet_address$"):
        parse_address(raw)


@given(st.binary(min_size=32, max_size=32))
def test_any_32_bytes_make_an_address(raw):
    assert base58.b58decode(parse_address(encode(raw))) == raw


@given(st.text(st.characters()) | st.text(BASE58, min_size=30, max_size=46))
def test_any_text_is_an_address_of_32_bytes_or_refused(raw):
    if is_address(raw):
        assert parse_address(raw) == raw
        assert encode(base58.b58decode(raw)) == raw
        assert len(base58.b58decode(raw)) == 32
    else:
        with pytest.raises(ApiError, match=r"^invalid_wallet_address$"):
            parse_address(raw)
