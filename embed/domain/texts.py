"""Short texts that owners write: names, titles, tags, tickers and email addresses."""

import re
import unicodedata
from collections.abc import Collection

import regex

from embed.errors import InvalidInput

# Control characters, lone surrogates and private-use ones. (Unassigned ones may be new emoji.)
_UNPRINTABLE = {"Cc", "Cs", "Co"}
# Embeddings and overrides of direction, which would reorder what follows a name.
_TURNING = set("\u202a\u202b\u202c\u202d\u202e")

# What chat services and mail readers treat as mentions, markup, links and channels, and what is
# shown instead.
_SPECIAL = str.maketrans(
    {
        "@": "\N{FULLWIDTH COMMERCIAL AT}",
        "<": "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
        ">": "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
        "&": "\N{FULLWIDTH AMPERSAND}",
        "#": "\N{FULLWIDTH NUMBER SIGN}",
        "*": "\N{ASTERISK OPERATOR}",
        "|": "\N{BROKEN BAR}",
        "~": "\N{TILDE OPERATOR}",
        "`": "'",
        "\\": "/",
        "[": "(",
        "]": ")",
    }
)
# The other points are the dots in Chinese and Japanese site names (UTS 46).
_POINT_IN_WORD = re.compile(r"(?<=\S)([.:\u3002\uff0e\uff61])(?=[\w/])")
# Chat services treat text between these as emphasis, but not within a word.
_LINE_AT_EDGE = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")


MAX_TICKER_LENGTH = 20  # code points

# $, its fullwidth and small forms, and the emoji with the selector that may follow it.
_LEADING_SIGNS = re.compile(r"[\s$\uff04\ufe69\U0001f4b2\ufe0f]+")


def gettext_noop(text: str) -> str:
    """Mark a text that is translated where it is shown."""
    return text


def isolate(text: str) -> str:
    """Return a text that keeps its direction in a sentence of another direction, as <bdi> does."""
    return f"\u2068{text}\u2069"


def parse_text(raw: str, label: str, *, field: str, max_length: int) -> str:
    """Return `raw` trimmed, 1 to `max_length` code points.

    Raises InvalidInput for `field`; its sentence calls the field `label`.
    """
    text = parse_optional_text(raw, label, field=field, max_length=max_length)
    if text is None:
        raise InvalidInput("The %(label)s must not be empty.", field=field, label=label)
    return text


def parse_optional_text(
    raw: str | None, label: str, *, field: str, max_length: int, may_have_lines: bool = False
) -> str | None:
    """Do as parse_text, but return None for an empty or blank text."""
    text = (raw or "").strip()
    if may_have_lines:
        text = text.replace("\r\n", "\n")  # forms send CRLF
    if not text:
        return None
    if len(text) > max_length:
        raise InvalidInput(
            "The %(label)s is longer than %(max)s characters.",
            field=field,
            label=label,
            max=max_length,
        )
    checked = text.replace("\n", "") if may_have_lines else text
    if any(
        unicodedata.category(character) in _UNPRINTABLE or character in _TURNING
        for character in checked
    ):
        raise InvalidInput(
            "The %(label)s contains a character that can't be shown.", field=field, label=label
        )
    return text


def neutralise(text: str, *, max_length: int) -> str:
    """Return other people's text for a plain message, without anything that would act in it.

    No line breaks, no control or invisible characters, no mentions or markup; and no site names,
    which programs turn into links: a word joiner follows their dots.
    """
    words = " ".join(text.split())
    shown = "".join(each for each in words if unicodedata.category(each)[0] != "C")
    if len(shown) > max_length:
        shown = shown[: max_length - 1] + "…"
    plain = _LINE_AT_EDGE.sub(
        lambda found: "\N{FULLWIDTH LOW LINE}" * len(found[0]), shown.translate(_SPECIAL)
    )
    return _POINT_IN_WORD.sub("\\1\N{WORD JOINER}", plain)


def parse_ticker(raw: str) -> str:
    """Return a token's symbol without the dollar signs in front, 1 to MAX_TICKER_LENGTH long.

    Pages show it after a dollar sign of their own. Raises InvalidInput.
    """
    ticker = drop_dollar_signs(raw)
    if raw.strip() and not ticker:
        raise InvalidInput(
            "The ticker needs more than a dollar sign.",
            field="token_symbol",
        )
    return parse_text(
        ticker, gettext_noop("ticker"), field="token_symbol", max_length=MAX_TICKER_LENGTH
    )


def drop_dollar_signs(symbol: str) -> str:
    """Return a symbol without the dollar signs and spaces in front of it; it may be empty."""
    leading = _LEADING_SIGNS.match(symbol)
    return symbol[leading.end() :] if leading else symbol


def quote(raw: str) -> str:
    """Return what somebody entered as a sentence names it."""
    return repr(raw if len(raw) <= 60 else f"{raw[:59]}…")


def check_choice(raw: str, choices: Collection[str], field: str) -> None:
    """Raise InvalidInput for `field`, which the sentence names, unless `raw` is a choice."""
    if raw not in choices:
        raise InvalidInput(
            "The %(name)s must be one of %(choices)s.",
            field=field,
            name=field,
            choices=", ".join(choices),
        )


# No forms of @ that look alike, and nothing that can't be seen.
_IN_EMAIL = r"[^\s@\uff20\ufe6b\x00-\x1f\p{Default_Ignorable_Code_Point}]"
_EMAIL = regex.compile(rf"{_IN_EMAIL}{{1,64}}@{_IN_EMAIL}{{1,189}}")


def parse_email(raw: str) -> str:
    """Return the address as it's stored. Raises InvalidInput."""
    email = raw.strip().lower()
    if not (_EMAIL.fullmatch(email) and email.isprintable()):
        raise InvalidInput("%(email)s isn't an email address.", field="email", email=repr(raw))
    return email
