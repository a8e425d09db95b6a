"""Tickers: the symbols of tokens, which people write with or without a dollar sign."""

import re

from embed.domain.texts import parse_text
from embed.errors import InvalidInput

MAX_LENGTH = 20  # code points

# $, its fullwidth and small forms, and the emoji with the selector that may follow it.
_LEADING_SIGNS = re.compile(r"[\s$\uff04\ufe69\U0001f4b2\ufe0f]+")


def parse_ticker(raw: str) -> str:
    """Return a token's symbol without the dollar signs in front, 1 to MAX_LENGTH code points.

    Pages show it after a dollar sign of their own. Raises InvalidInput.
    """
    ticker = drop_dollar_signs(raw)
    if raw.strip() and not ticker:
        raise InvalidInput(
            "The token symbol needs more than the dollar sign that pages put in front of it.",
            field="token_symbol",
        )
    return parse_text(ticker, "token symbol", field="token_symbol", max_length=MAX_LENGTH)


def drop_dollar_signs(symbol: str) -> str:
    """Return a symbol without the dollar signs and spaces in front of it; it may be empty."""
    leading = _LEADING_SIGNS.match(symbol)
    return symbol[leading.end() :] if leading else symbol
