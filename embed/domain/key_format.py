"""The form of bearer keys (docs/api.md, Keys)."""

import hashlib
import re
from typing import Final, Literal

from embed.domain.identifiers import make_token

Tier = Literal["public", "secret"]

PREFIXES: Final[dict[Tier, str]] = {"public": "svc_pub_", "secret": "svc_sec_"}
RANDOM_LENGTH = 32
DISPLAY_LENGTH = 12
_FORM = re.compile(r"(?:svc_pub_|svc_sec_)[0-9A-Za-z]{32}")


def make_key(tier: Tier) -> str:
    return PREFIXES[tier] + make_token(RANDOM_LENGTH)


def is_key(raw: str) -> bool:
    """Tell whether `raw` has the form of a key; if not, no query is needed."""
    return _FORM.fullmatch(raw) is not None


def hash_key(key: str) -> str:
    """Return the SHA-256 of a whole key, in hex.

    The key has 190 random bits and cannot be guessed, so a slow hash would gain nothing.
    """
    return hashlib.sha256(key.encode()).hexdigest()


def shorten_key(key: str) -> str:
    """Return the first characters of a key, for display."""
    return key[:DISPLAY_LENGTH]
