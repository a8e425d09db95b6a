"""Random text: ids of everything that is kept, and the random part of keys and nonces."""

import secrets
import string

BASE62 = string.digits + string.ascii_letters
ID_LENGTH = 20


def make_token(length: int) -> str:
    """Return `length` random base62 characters."""
    return "".join(secrets.choice(BASE62) for _ in range(length))


def make_id() -> str:
    return make_token(ID_LENGTH)
