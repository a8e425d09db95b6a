"""Folding names, so that a search finds them however they're typed.

A changed `fold` needs a migration that calls embed.db.folded.fill: its results are stored.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

MAX_SEARCH_LENGTH = 300  # characters of a search that are looked at

# Letters that Unicode doesn't decompose, as people without such a keyboard type them. Case folding
# has already made "ss" of "ß".
_TYPED = {"ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "\u0131": "i"}
# The selectors that choose between an emoji and a sign in the font are no combining marks.
_SELECTORS = dict.fromkeys(range(0xFE00, 0xFE10))
_TABLE = str.maketrans(_TYPED) | _SELECTORS
# Spaces, line breaks, control characters, and those for the direction and joining of letters.
_DROPPED = {"Zs", "Zl", "Zp", "Cc", "Cf"}
_DROPPED_ASCII = dict.fromkeys([*range(33), 127])
# An address as the list shows it: its beginning and end. Folding has made dots of "…".
_SHORTENED = re.compile(r"([0-9a-z]*)\.{2,}([0-9a-z]*)")


def fold(text: str) -> str:
    """Return a text without accents, case and spaces, for searching and sorting.

    Folding a text character by character gives the same result, and so does folding it twice.
    """
    if text.isascii():
        return text.lower().translate(_DROPPED_ASCII)
    # By the combining class: the vowels of Hindi, for example, are also marks, but not accents.
    letters = "".join(
        one
        for one in unicodedata.normalize("NFKD", text)
        if not unicodedata.combining(one) and unicodedata.category(one) not in _DROPPED
    )
    return letters.casefold().translate(_TABLE)


def fold_wallet(name: str | None, address: str) -> str:
    """Return the text that searches look at: the folded name, a space and the address."""
    return f"{fold(name or '')} {address.lower()}"


@dataclass(frozen=True, slots=True)
class Search:
    """What somebody looks for in texts of fold_wallet."""

    text: str  # part of the name or of the address
    ends: tuple[str, str] | None  # or how the address begins and ends; one may be empty

    def find(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether it matches."""
        wanted = self.text  # a local name: a page can have 50,000 texts
        if self.ends is None:
            return [wanted in text for text in texts]
        first, last = f" {self.ends[0]}", self.ends[1]
        return [wanted in text or (text.endswith(last) and first in text) for text in texts]


def parse_search(raw: str) -> Search | None:
    """Return what to look for; None: nothing, so everything is to be shown."""
    text = fold(raw[:MAX_SEARCH_LENGTH])
    shortened = _SHORTENED.fullmatch(text)
    ends = (shortened[1], shortened[2]) if shortened and any(shortened.groups()) else None
    return Search(text, ends) if text else None
