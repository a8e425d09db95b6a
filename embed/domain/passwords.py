"""Passwords: argon2id hashes, and one-time links to choose a password.

Where a hash may stand, there is also None for a person who has never chosen a password, and a text
of its own each time for one whose password is off: no fingerprint comes twice.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from threading import Lock

from nacl import pwhash
from nacl.exceptions import InvalidkeyError

from embed.domain.identifiers import hash_key, make_id
from embed.domain.signing import Signer
from embed.domain.times import Clock
from embed.errors import InvalidInput

MIN_LENGTH = 10
MAX_LENGTH = 200
LINK_LIFETIME = timedelta(days=1)
_SWITCHED_OFF = "off:"

# Each hash takes 64 MiB while it is computed, and anybody can ask for one by trying to sign in.
_one_at_a_time = Lock()


def hash_password(password: str) -> str:
    """Return an argon2id hash with its salt and cost parameters. Raises InvalidInput."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise InvalidInput(
            "A password must have %(min)s to %(max)s characters.",
            field="password",
            min=MIN_LENGTH,
            max=MAX_LENGTH,
        )
    with _one_at_a_time:
        return pwhash.argon2id.str(_encode(password)).decode("ascii")


def make_switched_off() -> str:
    """Return what stands in place of a hash while a password is off."""
    return _SWITCHED_OFF + make_id()


def has_password(password_hash: str | None) -> bool:
    """Tell whether it is the hash of a password, not what stands in its place."""
    return password_hash is not None and not password_hash.startswith(_SWITCHED_OFF)


def is_correct_password(password: str, password_hash: str | None) -> bool:
    """Tell whether a password matches its hash; without a hash, False after the same time."""
    is_hash = has_password(password_hash)
    kept = (password_hash if password_hash is not None and is_hash else _dummy_hash()).encode()
    try:
        with _one_at_a_time:
            pwhash.verify(kept, _encode(password))
    except InvalidkeyError:
        return False
    return is_hash


def fingerprint(password_hash: str | None) -> str:
    """Return a short value that changes with the password, to bind links to it."""
    return hash_key(password_hash or "")[:16]


class PasswordLinkSigner:
    """Signs one-time links: choosing a password changes its fingerprint and so ends the link."""

    def __init__(self, secret_keys: Sequence[str], clock: Clock) -> None:
        self._signer = Signer(secret_keys, "dashboard password link", clock, tuple[str, str])

    def sign(self, person_id: str, password_hash: str | None) -> str:
        return self._signer.sign((person_id, fingerprint(password_hash)), LINK_LIFETIME)

    def unsign(self, raw: str) -> tuple[str, str]:
        """Return the person's id and the fingerprint at the time of signing. Raises ValueError."""
        return self._signer.unsign(raw).value


def _encode(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


@cache
def _dummy_hash() -> str:
    return hash_password("nobody has this password")
