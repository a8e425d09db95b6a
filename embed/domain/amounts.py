"""Token balances: whole tokens, decimals applied, exact.

A mint issues up to 2**64 - 1 units, more than a double can represent exactly. All arithmetic with
amounts is here, in a context of its own that raises where it would round.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation
from functools import reduce
from typing import TypeAlias

from embed.domain.texts import gettext_noop
from embed.errors import InvalidInput

# The most that a mint can issue is 2**64 - 1 units; with no decimals that is 1.8e19 tokens.
MAX_AMOUNT = Decimal("1e20")
MAX_DECIMALS = 20
# In digits: an amount has at most 41, and a sum over all possible accounts a few more.
PRECISION = 60
SHARE_DIGITS = 6  # significant ones

_EXACT = Context(prec=PRECISION, traps=[Inexact, InvalidOperation])
_OF_SHARES = Context(prec=SHARE_DIGITS)
_OF_CHANGES = Context(prec=PRECISION)
_CHANGE_STEP = Decimal("0.001")

_FORM = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_MAX_LENGTH = 100

_BALANCE = gettext_noop("A balance")

RawAmount: TypeAlias = str | int | Decimal


def parse_amount(raw: RawAmount, label: str = _BALANCE, *, field: str = "balance") -> Decimal:
    """Return `raw` as an exact balance.

    Raises InvalidInput for `field`; its sentence calls the field `label`.
    """
    amount = _find_number(raw)
    if amount is None:
        raise InvalidInput(
            "%(label)s must be a number of whole tokens, 0 or more, such as 1250.5.",
            field=field,
            label=label,
        )
    if amount > MAX_AMOUNT:
        raise InvalidInput(
            "%(label)s must be at most %(max)s whole tokens.",
            field=field,
            label=label,
            max=f"{MAX_AMOUNT:,f}",
        )
    text = format_amount(amount)
    if len(text.partition(".")[2]) > MAX_DECIMALS:
        raise InvalidInput(
            "%(label)s must have at most %(max)s decimals.",
            field=field,
            label=label,
            max=MAX_DECIMALS,
        )
    return Decimal(text)


def _find_number(raw: RawAmount) -> Decimal | None:
    """Return `raw` as a number, or None unless it is finite and has no minus sign."""
    if isinstance(raw, str):
        is_number = len(raw) <= _MAX_LENGTH and _FORM.fullmatch(raw)
        return Decimal(raw) if is_number else None
    amount = _as_decimal(raw)
    return amount if amount.is_finite() and not amount.is_signed() else None


def format_amount(amount: Decimal | int) -> str:
    """Return an amount as it is stored: no exponent, no trailing zeros."""
    text = f"{_as_decimal(amount):f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def add(*amounts: Decimal) -> Decimal:
    return reduce(_EXACT.add, amounts, Decimal(0))


def subtract(amount: Decimal, other: Decimal) -> Decimal:
    return _EXACT.subtract(amount, other)


def apply_decimals(units: int, decimals: int) -> Decimal:
    """Return a mint's smallest units as whole tokens."""
    return _EXACT.scaleb(Decimal(units), -decimals)


def find_share(amount: Decimal, supply: Decimal | None) -> Decimal | None:
    """Return an amount's share of the supply, to SHARE_DIGITS; None if unknown.

    A supply of 0 has no shares. More than 1 may be right for a moment: tokens were burned after the
    amount was read.
    """
    return _OF_SHARES.divide(amount, supply) if supply else None


def round_change(part: Decimal) -> Decimal:
    """Round a change, as a part of what was held before, to a tenth of a percent."""
    return part.quantize(_CHANGE_STEP, context=_OF_CHANGES)


def _as_decimal(amount: Decimal | int) -> Decimal:
    """Raises TypeError for a float, which may be rounded already."""
    if not isinstance(amount, (Decimal, int)):
        raise TypeError(f"An amount is a Decimal, not {type(amount).__name__}.")
    return Decimal(amount)


@dataclass(frozen=True, slots=True)
class Holding:
    balance: Decimal | None  # whole tokens; None: unknown
    is_counted: bool  # by all of its tags


@dataclass(frozen=True, slots=True)
class Sums:
    """Exact sums, in whole tokens, of the wallets whose balances are known."""

    balance: Decimal
    wallet_count: int
    # Of the counted ones:
    counted_balance: Decimal
    counted_wallet_count: int


def add_up(holdings: Iterable[Holding]) -> Sums | None:
    """Sum up holdings; None if no balance is known, which isn't a sum of 0."""
    known = [(one.balance, one.is_counted) for one in holdings if one.balance is not None]
    if not known:
        return None
    left_out = [balance for balance, is_counted in known if not is_counted]
    balance = add(*(balance for balance, _ in known))
    return Sums(
        balance=balance,
        wallet_count=len(known),
        counted_balance=subtract(balance, add(*left_out)),
        counted_wallet_count=len(known) - len(left_out),
    )
