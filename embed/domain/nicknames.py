"""Public display names of visitors (docs/api.md, Submit a wallet)."""

import unicodedata

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
    """Return the normalised nickname: trimmed, NFKC.

    Raises ApiError `invalid_nickname_length` or `invalid_nickname_chars`.
    """
    trimmed = raw.strip()
    if len(trimmed) > MAX_RAW_LENGTH:
        raise ApiError("invalid_nickname_length")
    # NFKC can produce white space at the ends, so trim again.
    nickname = unicodedata.normalize("NFKC", trimmed).strip()
    if not 1 <= len(nickname) <= MAX_LENGTH:
        raise ApiError("invalid_nickname_length")
    if not _ALLOWED.fullmatch(nickname):
        raise ApiError("invalid_nickname_chars")
    return nickname
