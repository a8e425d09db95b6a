"""Passwords as argon2id hashes; None stands for a person who has not chosen one yet."""

from functools import cache
from threading import Lock

from nacl import pwhash
from nacl.exceptions import InvalidkeyError

from embed.domain.identifiers import hash_key
from embed.errors import InvalidInput

MIN_LENGTH = 10
MAX_LENGTH = 200

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


def is_correct_password(password: str, password_hash: str | None) -> bool:
    """Tell whether a password matches its hash; without a hash, False after the same time."""
    compared = (password_hash or _dummy_hash()).encode()
    try:
        with _one_at_a_time:
            pwhash.verify(compared, _encode(password))
    except InvalidkeyError:
        return False
    return password_hash is not None


def fingerprint(password_hash: str | None) -> str:
    """Return a short value that changes with the password, to bind links to it."""
    return hash_key(password_hash or "")[:16]


def _encode(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


@cache
def _dummy_hash() -> str:
    return hash_password("nobody has this password")
