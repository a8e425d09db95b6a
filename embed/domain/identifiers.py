"""Random text: ids of database rows, tokens, and bearer keys (docs/api.md, Keys)."""

import hashlib
import re
import secrets
import string
from typing import Final, Literal

BASE62 = string.digits + string.ascii_letters
ID_LENGTH = 20
_ID = re.compile(rf"[0-9A-Za-z]{{{ID_LENGTH}}}")

Tier = Literal["public", "secret"]
PREFIXES: Final[dict[Tier, str]] = {"public": "svc_pub_", "secret": "svc_sec_"}
RANDOM_LENGTH = 32  # of a key
DISPLAY_LENGTH = 12
_KEY = re.compile(rf"(?:svc_pub_|svc_sec_)[0-9A-Za-z]{{{RANDOM_LENGTH}}}")


def make_token(length: int) -> str:
    """Return `length` random base62 characters."""
    return "".join(secrets.choice(BASE62) for _ in range(length))


def make_id() -> str:
    return make_token(ID_LENGTH)


def is_id(raw: str) -> bool:
    """Tell whether `raw` has the form of an id; if not, no query is needed."""
    return _ID.fullmatch(raw) is not None


def make_key(tier: Tier) -> str:
    return PREFIXES[tier] + make_token(RANDOM_LENGTH)


def is_key(raw: str) -> bool:
    """Tell whether `raw` has the form of a key; if not, no query is needed."""
    return _KEY.fullmatch(raw) is not None


def hash_key(key: str) -> str:
    """Return the SHA-256 of a whole key, in hex.

    The key has 190 random bits and cannot be guessed, so a slow hash would gain nothing.
    """
    return hashlib.sha256(key.encode()).hexdigest()


def shorten_key(key: str) -> str:
    """Return the first characters of a key, for display."""
    return key[:DISPLAY_LENGTH]
