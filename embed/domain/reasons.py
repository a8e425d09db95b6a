"""Why an owner rejects a submission: picked from a list, or in the owner's own words."""

import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from embed.domain.texts import gettext_noop, parse_text

MAX_LENGTH = 200  # code points of the owner's own words
# NFC makes at most four code points into one. More are not read: its time grows with the square of
# a run of combining marks.
_MAX_RAW_LENGTH = 4 * (MAX_LENGTH + 1)


_LABEL = gettext_noop("reason")


class Reason(NamedTuple):
    """At most one of the two is given."""

    code: str | None = None
    text: str | None = None


NO_REASON = Reason()


def write_sentences(gettext: Callable[[str], str] = str) -> dict[str, str]:
    """Return what the visitor reads for each code."""
    return {
        "other_name": gettext("Please choose another name."),
        "similar_name": gettext("The name looks too much like another one."),
        "low_balance": gettext("The wallet holds too few tokens."),
        "unknown_holder": gettext("The owner doesn't know whose wallet this is."),
        "not_for_list": gettext("The wallet doesn't belong on this list."),
        "list_closed": gettext("No more wallets are added for now."),
    }


CODES = tuple(write_sentences())


def parse_reason(raw: str) -> Reason:
    """Read a code, or else the owner's own words: trimmed, NFC. Raises InvalidInput."""
    if raw in CODES:
        return Reason(code=raw)
    text = unicodedata.normalize("NFC", raw[:_MAX_RAW_LENGTH])
    return Reason(text=parse_text(text, _LABEL, field="reason", max_length=MAX_LENGTH))
