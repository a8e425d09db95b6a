"""Names that people take for one another: by Unicode's confusables, case and separators.

The table is that of UTS 39 (https://www.unicode.org/reports/tr39/), as confusable-homoglyphs
carries it; its own functions look at one name at a time, and a page may have 10,000.
"""

import unicodedata
from functools import cache, lru_cache

from confusable_homoglyphs import confusables

# The library's keys wrap right-to-left characters in these.
_MARK = "\u200e"
# What is left out of a comparison: separators, and accents that are not part of a script.
_IGNORED = dict.fromkeys([*map(ord, " ._-"), *range(0x300, 0x370)])


@lru_cache(maxsize=65_536)  # a page's names are compared again with every view of its queue
def skeleton(name: str) -> str:
    """Return what a name looks like: two that look alike have the same.

    Made for comparing, not for showing; it errs on the side of a needless warning.
    """
    table = _read_prototypes()
    # Capital I is drawn as l is, O as 0: so before case is folded away, and once more after.
    drawn = unicodedata.normalize("NFD", name).translate(table).casefold().translate(table)
    return drawn.replace("i", "l").translate(_IGNORED) or drawn


@cache
def _read_prototypes() -> dict[int, str]:
    """Return for each confusable character the text that stands for all that look like it."""
    looks = {
        text.replace(_MARK, ""): [entry["c"].replace(_MARK, "") for entry in entries]
        for text, entries in confusables.confusables_data.items()
    }
    return {
        ord(text): _choose_prototype(text, looks[others[0]], others[0])
        for text, others in looks.items()
        if len(text) == 1 and len(others) == 1
    }


def _choose_prototype(text: str, backwards: list[str], other: str) -> str:
    """The data links every character with its prototype, both ways; of a mere pair, any will do."""
    return other if len(backwards) > 1 or len(other) > 1 else min(text, other)
