"""Random text: ids of database rows, and the random part of keys and nonces."""

import re
import secrets
import string

BASE62 = string.digits + string.ascii_letters
ID_LENGTH = 20
_FORM = re.compile(rf"[0-9A-Za-z]{{{ID_LENGTH}}}")


def make_token(length: int) -> str:
    """Return `length` random base62 characters."""
    number = secrets.randbelow(len(BASE62) ** length)  # of one draw, which is faster than many
    characters = []
    for _ in range(length):
        number, digit = divmod(number, len(BASE62))
        characters.append(BASE62[digit])
    return "".join(characters)


def make_id() -> str:
    return make_token(ID_LENGTH)


def is_id(raw: str) -> bool:
    """Tell whether `raw` has the form of an id; if not, no query is needed."""
    return _FORM.fullmatch(raw) is not None
