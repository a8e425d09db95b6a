"""Names of the Solana Name Service (SNS): where its programs keep them, and what they say.

Source: SolanaNameService/sns-sdk, its Rust and JavaScript packages. Accounts are base58.
"""

import hashlib
import re
from dataclasses import dataclass

from solders.pubkey import Pubkey
from solders.token.associated import get_associated_token_address

NAME_PROGRAM = "namesLPneVptA9Z5rqUDD9tMTWEJwofgaYwp8cawRkX"
OFFERS_PROGRAM = "85iDfUvr3HJyLM2zcq5BXSiDvUWfw6cSE1FfNBo8Ap29"
TOKENIZER_PROGRAM = "nftD3vbNkNqfj2Sd3HZwbpw4BxxKWr4AjGb9X38JeZk"
ROOT_DOMAIN = "58PwtjSDuFHuUkYjH9BYnnQKHfwo9reZhC2zMJv9JPkx"
REVERSE_CLASS = "33m47vH6Eav6jr5Ry86XjhRft2jRBLDnDgPSHoquXi2Z"
# From this slot on, in October 2026, SNS calls its names .sns, and .sol is another registry's.
FIRST_SLOT_OF_SNS = 452_825_395

MAX_LABEL = 32  # characters; longer ones are not shown
# How many of an account's bytes are read: a head of three keys, a length, and a label with the
# mark of subdomains. What owners keep there besides may have megabytes.
READ_BYTES = 3 * 32 + 4 + 1 + MAX_LABEL

_FAVOURITE_TAG = 4
_SUBDOMAIN_MARK = b"\0"
# What nobody can take for something else: no other script, direction or invisible character.
_LABEL = re.compile(rb"[a-z0-9](?:[a-z0-9_-]{0,%d}[a-z0-9])?" % (MAX_LABEL - 2))

_NO_KEY = bytes(32)


@dataclass(frozen=True, slots=True)
class Registry:
    """The head of a name's account."""

    parent: str
    owner: str


def derive_favourite(wallet: str) -> str:
    """Return the account in which a wallet's primary domain is kept."""
    return _derive(OFFERS_PROGRAM, b"favourite_domain", _to_bytes(wallet))


def derive_domain(label: bytes, parent: str = ROOT_DOMAIN) -> str:
    """Return the account of a name; with a parent, of a name below it."""
    is_top = parent == ROOT_DOMAIN
    return _derive_name(label if is_top else _SUBDOMAIN_MARK + label, parent=parent)


def derive_reverse(domain: str, parent: str = ROOT_DOMAIN) -> str:
    """Return the account that holds the label of a name's account."""
    above = None if parent == ROOT_DOMAIN else parent
    return _derive_name(domain.encode(), parent=above, name_class=REVERSE_CLASS)


def derive_mint(domain: str) -> str:
    """Return the mint of the token that stands for a name while it is tokenized."""
    return _derive(TOKENIZER_PROGRAM, b"tokenized_name", _to_bytes(domain))


def derive_holding(domain: str, wallet: str) -> str:
    """Return the account in which a wallet keeps the token of a name."""
    mint = Pubkey.from_string(derive_mint(domain))
    return str(get_associated_token_address(Pubkey.from_string(wallet), mint))


def parse_favourite(data: bytes) -> str | None:
    """Return the account of the name that a wallet has chosen."""
    has_one = len(data) >= 33 and data[0] == _FAVOURITE_TAG
    return _to_address(data[1:33]) if has_one else None


def parse_registry(data: bytes) -> Registry | None:
    if len(data) < 96:
        return None
    return Registry(_to_address(data[:32]), _to_address(data[32:64]))


def parse_label(data: bytes) -> bytes | None:
    """Return the label in a reverse account; None if it is not one that is shown."""
    size = int.from_bytes(data[96:100], "little")
    label = data[100 : 100 + size].removeprefix(_SUBDOMAIN_MARK)
    is_whole = len(data) >= 100 + size
    return label if is_whole and _LABEL.fullmatch(label) else None


def is_held(data: bytes, domain: str, wallet: str) -> bool:
    """Tell whether a token account of a wallet holds the token of a name."""
    expected = _to_bytes(derive_mint(domain)) + _to_bytes(wallet) + (1).to_bytes(8, "little")
    return data[:72] == expected


def write_name(*labels: bytes, slot: int) -> str:
    """Return a name as SNS called it at a slot; labels come from the left."""
    ending = "sns" if slot >= FIRST_SLOT_OF_SNS else "sol"
    return ".".join((*(label.decode("ascii") for label in labels), ending))


def _derive_name(name: bytes, *, parent: str | None, name_class: str | None = None) -> str:
    hashed = hashlib.sha256(b"SPL Name Service" + name).digest()
    keys = (_to_bytes(key) if key else _NO_KEY for key in (name_class, parent))
    return _derive(NAME_PROGRAM, hashed, *keys)


def _derive(program: str, *seeds: bytes) -> str:
    return str(Pubkey.find_program_address(seeds, Pubkey.from_string(program))[0])


def _to_bytes(address: str) -> bytes:
    return bytes(Pubkey.from_string(address))


def _to_address(raw: bytes) -> str:
    return str(Pubkey.from_bytes(raw))
