"""Base58 addresses of wallets and mints."""

import re

import base58

from embed.errors import ApiError, InvalidInput

# base58's decoder accepts trailing white space; the pattern does not.
_FORM = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
ADDRESS_BYTES = 32


def is_address(raw: str) -> bool:
    """Tell whether `raw` is base58 for exactly 32 bytes."""
    return _FORM.fullmatch(raw) is not None and len(base58.b58decode(raw)) == ADDRESS_BYTES


def parse_address(raw: str) -> str:
    """Return `raw` if it is an address. Raises ApiError `invalid_wallet_address`."""
    if not is_address(raw):
        raise ApiError("invalid_wallet_address")
    return raw


def shorten_address(address: str) -> str:
    """Return the ends of an address, where it is not kept whole."""
    return f"{address[:4]}…{address[-4:]}"


def parse_mint(raw: str) -> str:
    """Return `raw` if it can be the address of a mint. Raises InvalidInput."""
    if not is_address(raw):
        raise InvalidInput(
            "%(mint)s is not a mint address (base58 of 32 bytes).",
            field="token_mint",
            mint=repr(raw),
        )
    return raw
