"""Base58 addresses of wallets and mints, and those that programs derive from others.

Programs send an address alone. People paste it with blanks and characters that can't be seen around
it, or in a link: `solana:` and an address, or an explorer's page.

Derived addresses have no private keys. Solana's `find_program_address` is the first hash, from bump
255 down, that is not on Ed25519's curve.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache

from base58 import b58decode, b58encode

from embed.domain.texts import gettext_noop, quote
from embed.errors import ApiError, InvalidInput

_BASE58 = "1-9A-HJ-NP-Za-km-z"
# base58's decoder accepts trailing white space; the pattern does not.
_FORM = re.compile(f"[{_BASE58}]{{32,44}}")
_LENGTHS = range(32, 45)
_NOT_BASE58 = re.compile(f"[^{_BASE58}]")
ADDRESS_BYTES = 32

_MAX_PASTED = 2_000  # characters of a link
# Blanks, line ends, control characters, and others that can't be seen.
_AROUND = {"Zs", "Zl", "Zp", "Cc", "Cf"}

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


def find_address(pasted: str) -> str | None:
    """Return the only address in what a person pasted: on its own, or a part of a link's path."""
    if is_address(pasted):
        return pasted
    found = set(filter(is_address, _split_link(pasted)))
    return found.pop() if len(found) == 1 else None


def parse_pasted_address(pasted: str, *, field: str | None = None) -> str:
    """Do as find_address. Raises InvalidInput, which names a letter that isn't base58."""
    address = find_address(pasted)
    if address is not None:
        return address
    for part in _split_link(pasted):
        if len(part) in _LENGTHS and (wrong := _NOT_BASE58.search(part)):
            raise InvalidInput(
                "“%(letter)s” at place %(place)s isn't used in addresses.",
                field=field,
                letter=wrong[0] if wrong[0].isprintable() else f"U+{ord(wrong[0]):04X}",
                place=wrong.end(),
            )
    raise InvalidInput("%(pasted)s isn't a Solana address.", field=field, pasted=quote(pasted))


def _split_link(pasted: str) -> list[str]:
    """Return the parts of a link's path, or the text as the only one."""
    path = re.split(r"[?#]", pasted if len(pasted) <= _MAX_PASTED else "")[0]
    return [_trim(part) for part in re.split(r"[/:]", path)]


def _trim(text: str) -> str:
    seen = [place for place, one in enumerate(text) if unicodedata.category(one) not in _AROUND]
    return text[seen[0] : seen[-1] + 1] if seen else ""


def shorten_address(address: str) -> str:
    """Return both ends of an address, for places that don't store it whole."""
    return f"{address[:4]}…{address[-4:]}"


def parse_mint(raw: str) -> str:
    """Return the mint's address in what a person pasted. Raises InvalidInput."""
    return parse_pasted_address(raw, field="token_mint")


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
