"""Recovery codes: their form, and the signed offer of new ones until one of them is typed in."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from embed.domain.identifiers import hash_key, make_id
from embed.domain.signing import Signer
from embed.domain.times import Clock

COUNT = 8
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32, without I, L, O and U
GROUPS, GROUP_LENGTH = 4, 6  # 120 random bits
OFFER_LIFETIME = timedelta(hours=1)
_MISREAD = str.maketrans("OIL", "011")


def make_codes() -> list[str]:
    return [_make_code() for _ in range(COUNT)]


def _make_code() -> str:
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def hash_code(raw: str) -> str:
    """Return the hash of a code as somebody types it: in any case, hyphens and spaces anywhere.

    A code has 120 random bits and cannot be guessed, so a slow hash would gain nothing.
    """
    letters = re.sub("[^0-9A-Z]", "", raw.upper())
    return hash_key(letters.translate(_MISREAD))


@dataclass(frozen=True, slots=True)
class Offer:
    """New codes that do not count yet."""

    token: str  # by which it is used once
    hashes: tuple[str, ...]
    expires_at: datetime


class OfferSigner:
    """Signs the hashes of new codes, so that nothing is stored before one of them is typed in."""

    def __init__(self, secret_keys: Sequence[str], clock: Clock) -> None:
        self._signer: Signer[tuple[str, str, tuple[str, ...]]] = Signer(
            secret_keys, "recovery codes", clock, tuple[str, str, tuple[str, ...]]
        )

    def sign(self, codes: Sequence[str], session_id: str) -> str:
        hashes = tuple(hash_code(code) for code in codes)
        return self._signer.sign((session_id, make_id(), hashes), OFFER_LIFETIME)

    def unsign(self, raw: str, session_id: str) -> Offer:
        """Raises ValueError unless it was signed for this session, within the hour."""
        signed = self._signer.unsign(raw)
        signed_for, token, hashes = signed.value
        if signed_for != session_id:
            raise ValueError("signed for another session")
        return Offer(token, hashes, signed.expires_at)
