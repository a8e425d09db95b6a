"""Addresses that programs derive from others; they have no private keys.

Solana's `find_program_address`: the first hash, from bump 255 down, that is not on Ed25519's curve.
"""

import hashlib

from base58 import b58decode, b58encode

METADATA_PROGRAM = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"  # Metaplex Token Metadata
_TOKEN_ACCOUNT_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"  # noqa: S105 -- an address

_PRIME = 2**255 - 19
_D = -121665 * pow(121666, -1, _PRIME)  # of the curve -x² + y² = 1 + d·x²·y²


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
