"""Base58 addresses of wallets and mints, and those that programs derive from others.

Derived addresses have no private keys. Solana's `find_program_address` is the first hash, from bump
255 down, that is not on Ed25519's curve.
"""

import hashlib
import re
from functools import lru_cache

from base58 import b58decode, b58encode

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

METADATA_PROGRAM = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"  # Metaplex Token Metadata
_TOKEN_ACCOUNT_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"  # noqa: S105 -- an address

_PRIME = 2**255 - 19
_D = -121665 * pow(121666, -1, _PRIME)  # of the curve -x² + y² = 1 + d·x²·y²


def is_address(raw: str) -> bool:
    """Tell whether `raw` is base58 for exactly 32 bytes."""
    return _FORM.fullmatch(raw) is not None and len(decode_address(raw)) == ADDRESS_BYTES


@lru_cache(maxsize=1024)  # a visitor's is needed several times
def decode_address(address: str) -> bytes:
    decoded: bytes = b58decode(address)
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


def derive_token_account(owner: str, mint: str, program: str) -> str:
    """Return the associated token account in which wallets keep an owner's tokens of a mint."""
    seeds = b"".join(map(b58decode, (owner, program, mint)))
    return _find_program_address(seeds, _TOKEN_ACCOUNT_PROGRAM)


def derive_metadata_account(mint: str) -> str:
    """Return the account that holds the mint's Metaplex metadata, if it has any."""
    return _find_program_address(
        b"metadata" + b58decode(METADATA_PROGRAM) + b58decode(mint), METADATA_PROGRAM
    )


def is_on_curve(address: str) -> bool:
    """Tell whether an address can have a private key."""
    return _is_point(b58decode(address))


def _is_point(address: bytes) -> bool:
    """Tell whether its y has an x on the curve."""
    y = int.from_bytes(address, "little") % 2**255  # the last bit is the sign of x
    numerator, denominator = y * y - 1, _D * y * y + 1  # of x²
    return pow(numerator * denominator, (_PRIME - 1) // 2, _PRIME) != _PRIME - 1  # a square, or 0


def _find_program_address(seeds: bytes, program: str) -> str:
    ending = b58decode(program) + b"ProgramDerivedAddress"
    tries = (seeds + bytes([bump]) + ending for bump in range(255, -1, -1))
    hashes = (hashlib.sha256(each).digest() for each in tries)
    return b58encode(next(each for each in hashes if not _is_point(each))).decode()
