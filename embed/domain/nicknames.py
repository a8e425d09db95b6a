"""Public display names of visitors (spec 4.3.1)."""

import unicodedata

import regex

from embed.errors import ApiError

MAX_LENGTH = 32  # code points, after normalisation

# A letter may carry marks only in scripts that cannot be written without them, and no more of
# them than people write: accents that compose became letters in NFKC, and what is left over
# (script Common or Inherited, or around the letter) is decoration. Fillers and other
# default-ignorable characters show nothing although Unicode calls some of them letters; so do
# the blanks of Egyptian hieroglyphs and the filler of the Khitan small script, which are not
# default-ignorable.
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
    # NFKC can uncover white space at the ends, so it is trimmed on both sides of it.
    nickname = unicodedata.normalize("NFKC", raw.strip()).strip()
    if not 1 <= len(nickname) <= MAX_LENGTH:
        raise ApiError("invalid_nickname_length")
    if not _ALLOWED.fullmatch(nickname):
        raise ApiError("invalid_nickname_chars")
    return nickname
