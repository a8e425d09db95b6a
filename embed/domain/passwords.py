"""Passwords: their argon2id hashes, and what makes one easy to guess.

None stands for the hash of a person who has not chosen one yet.
"""

import re
from collections.abc import Iterable
from functools import cache

from nacl import pwhash
from nacl.exceptions import InvalidkeyError

from embed.domain.concurrency import ConcurrencyLimit
from embed.domain.identifiers import hash_key
from embed.domain.texts import gettext_noop
from embed.errors import InvalidInput

MIN_LENGTH = 10
MAX_LENGTH = 200

# Each hash takes 64 MiB while it is computed, and anyone can cause one by trying to sign in.
_hashing = ConcurrencyLimit(2)


def hash_password(password: str) -> str:
    """Return an argon2id hash with its salt and cost parameters. Raises InvalidInput, Busy."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise InvalidInput(
            "A password must have %(min)s to %(max)s characters.",
            field="password",
            min=MIN_LENGTH,
            max=MAX_LENGTH,
        )
    with _hashing:
        return pwhash.argon2id.str(_encode(password)).decode("ascii")


def is_correct_password(password: str, password_hash: str | None) -> bool:
    """Tell whether a password matches its hash; without a hash, False after the same time.

    Raises Busy.
    """
    compared = (password_hash or _dummy_hash()).encode()
    try:
        with _hashing:
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


# How easy a password is to guess

# zxcvbn takes 0.6 seconds of CPU time for the slowest 32 characters, and refuses more than 72.
JUDGED_LENGTH = 32
_MIN_SCORE = 3  # of zxcvbn's 0 to 4: 100 million guesses
_WORD = re.compile(r"[^\W_]{3,}")

# zxcvbn keeps a person's words in a variable that all threads share.
_judging = ConcurrencyLimit(1)

OWN_WORDS = gettext_noop(
    "Without your email address, this site's name and the names of your pages, this password is"
    " easy to guess. Choose several uncommon words."
)
GUESSABLE = gettext_noop(
    "This password is easy to guess, as common words, names, dates, repetitions, sequences and"
    " neighboring keys are. Choose several uncommon words."
)


def find_weakness(password: str, own_texts: Iterable[str]) -> str | None:
    """Return what is wrong with a password, as an English sentence to translate, or None.

    Judges its first JUDGED_LENGTH characters, which `own_texts` and their words make easier to
    guess. Raises Busy.
    """
    from zxcvbn import zxcvbn  # its word lists take 14 MB

    words = [word for text in own_texts for word in (text, *_WORD.findall(text))]
    with _judging:
        result = zxcvbn(password[:JUDGED_LENGTH], user_inputs=words)
    if result["score"] >= _MIN_SCORE:
        return None
    is_own = any(match.get("dictionary_name") == "user_inputs" for match in result["sequence"])
    return OWN_WORDS if is_own else GUESSABLE
