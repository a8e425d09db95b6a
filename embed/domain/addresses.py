"""Base58 addresses of wallets and mints."""

import re
from functools import lru_cache

import base58

from embed.domain.texts import gettext_noop
from embed.errors import ApiError, InvalidInput

# base58's decoder accepts trailing white space; the pattern does not.
_FORM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
ADDRESS_BYTES = 32

# The coin itself isn't a token; each of the two token programs has a mint for wrapped coins.
WRAPPED_SOL = frozenset(
    {
        "So11111111111111111111111111111111111111112",
        "9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9",
    }
)
WRAPPED_SOL_ADVICE = gettext_noop(
    "This is the mint of wrapped SOL. SOL that is not wrapped does not count: a wallet with 14 "
    "SOL is shown with 0, and a minimum balance refuses it."
)


def is_address(raw: str) -> bool:
    """Tell whether `raw` is base58 for exactly 32 bytes."""
    return _FORM.fullmatch(raw) is not None and len(decode_address(raw)) == ADDRESS_BYTES


@lru_cache(maxsize=1024)  # a visitor's is needed several times
def decode_address(address: str) -> bytes:
    decoded: bytes = base58.b58decode(address)
    return decoded


def parse_address(raw: str) -> str:
    """Return `raw` if it is an address. Raises ApiError `invalid_wallet_address`."""
    if not is_address(raw):
        raise ApiError("invalid_wallet_address")
    return raw


def shorten_address(address: str) -> str:
    """Return both ends of an address, for places that don't store it whole."""
    return f"{address[:4]}…{address[-4:]}"


def parse_mint(raw: str) -> str:
    """Return `raw` if it can be the address of a mint. Raises InvalidInput."""
    if not is_address(raw):
        raise InvalidInput(
            "%(mint)s isn't a mint address (base58 of 32 bytes).",
            field="token_mint",
            mint=repr(raw),
        )
    return raw
