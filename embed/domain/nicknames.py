"""Public display names of visitors (docs/api.md, Submit a wallet), and which of them look alike."""

import unicodedata
from functools import cache, lru_cache

import regex

from embed.errors import ApiError

MAX_LENGTH = 32  # code points, after normalisation
# NFKC makes at most four code points into one. Longer texts are refused before it: its time
# grows with the square of a run of combining marks.
MAX_RAW_LENGTH = 4 * MAX_LENGTH

# A letter may have up to four combining marks, and only marks of a script of their own. NFKC has
# already composed letters with common accents; the remaining marks of script Common or
# Inherited, and enclosing marks, are decoration. Fillers and other default-ignorable characters
# are invisible, although Unicode classifies some as letters. So are the blanks of Egyptian
# hieroglyphs and the filler of the Khitan small script, which are not default-ignorable.
_ALLOWED = regex.compile(
    r"""(?:
        [\p{L}--\p{Default_Ignorable_Code_Point}--\U00013441\U00013442]
        [\p{M}--\p{Me}--\p{Script=Common}--\p{Script=Inherited}
            --\p{Default_Ignorable_Code_Point}--\U00016FE4]{0,4}
      | [\p{N}\ ._\-]
    )+""",
    regex.VERSION1 | regex.VERBOSE,
)


def parse_nickname(raw: str) -> str:
    """Return the normalized nickname: trimmed, NFKC.

    Raises ApiError `invalid_nickname_length` or `invalid_nickname_chars`.
    """
    trimmed = raw.strip()
    if len(trimmed) > MAX_RAW_LENGTH:
        raise ApiError("invalid_nickname_length")
    # NFKC can produce white space at the ends, so trim again.
    nickname = unicodedata.normalize("NFKC", trimmed).strip()
    if not 1 <= len(nickname) <= MAX_LENGTH:
        raise ApiError("invalid_nickname_length")
    # Too quick to let other threads run meanwhile, as this library otherwise does.
    if not _ALLOWED.fullmatch(nickname, concurrent=False):
        raise ApiError("invalid_nickname_chars")
    return nickname


# The library's keys wrap right-to-left characters in these.
_MARK = "\u200e"
SEPARATORS = " ._-"
# Ignored when comparing: separators, and accents that are not part of a script.
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_IGNORED = _ACCENTS | dict.fromkeys(map(ord, SEPARATORS))
# Such letters need no marks, and another script's mark on one is hardly visible.
_MARKS_ON_LETTERS = regex.compile(r"(?<=[\p{Latin}\p{Greek}\p{Cyrillic}])\p{M}+")


@lru_cache(maxsize=65_536)  # each view of a queue compares all names of its page
def skeleton(name: str, *, keeps_separators: bool = False) -> str:
    """Return the UTS 39 skeleton of a name: names that look alike have the same one.

    For comparison only, not for display; may give the same result for names that differ visibly.
    """
    table = _read_prototypes()
    # Capital I looks like l, and O like 0: translate before case folding, and again after.
    letters = _MARKS_ON_LETTERS.sub("", unicodedata.normalize("NFD", name))
    drawn = letters.translate(table).casefold().translate(table)
    ignored = _ACCENTS if keeps_separators else _IGNORED
    return drawn.replace("i", "l").translate(ignored) or drawn


@cache
def _read_prototypes() -> dict[int, str]:
    """Return the prototype of each confusable character (UTS 39)."""
    from confusable_homoglyphs import confusables  # reads its data, which commands needn't wait for

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
    """Choose one text for a confusable character and `other`, which looks like it.

    The data links each character with its prototype in both directions. In a group of two,
    either can serve.
    """
    return other if len(backwards) > 1 or len(other) > 1 else min(text, other)
