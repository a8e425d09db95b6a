"""Balances as figures in the reader's language."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Context, Decimal, localcontext
from functools import cache
from typing import Self

from babel.dates import format_date, format_skeleton, format_timedelta
from babel.numbers import (
    NumberPattern,
    format_compact_decimal,
    parse_pattern,
)
from flask import Flask

from embed.domain import amounts, times
from embed.web.current import runtime
from embed.web.drawings import draw_avatar
from embed.web.languages import current_locale, format_amount

_DIGITS = 3
_THREE_DIGITS = Context(prec=_DIGITS)
_MOST_GROWTH = Decimal("9.99")  # longer percentages would leave no room for names

# Parsed once, as a page shows many amounts.
_WHOLE = parse_pattern("#,##0")
_SHORT = parse_pattern("#,##0.##")
_EXACT = parse_pattern("#,##0." + "#" * amounts.MAX_DECIMALS)


@dataclass(frozen=True, slots=True)
class Column:
    """How a column's amounts are written: in one unit, with as many decimals as its largest needs.

    The unit is none, thousands, millions and so on, as the language's compact short form has it.
    """

    exponent: int  # of the unit, as a power of ten
    decimals: int
    pattern: NumberPattern

    @classmethod
    def of(cls, highest: Decimal) -> Self:
        """Return the column whose largest amount has three digits: 412M, 73.5M or 8.35M.

        An amount that no unit shortens has all its whole digits.
        """
        rounded = _THREE_DIGITS.plus(highest)
        exponent, unit = _find_unit(rounded)
        whole_digits = rounded.adjusted() + 1 - exponent if rounded else _DIGITS
        decimals = min(max(_DIGITS - whole_digits, 0), amounts.MAX_DECIMALS)
        return cls(exponent, decimals, _make_unit(unit, decimals))

    def write(self, amount: Decimal) -> str:
        """Write nothing as ``0``, and what would be rounded to it as ``<0.1M``."""
        if not amount:
            return format_amount(Decimal(0), _WHOLE)
        with localcontext(prec=amounts.PRECISION):
            shown = amount.scaleb(-self.exponent)
        smallest = Decimal(1).scaleb(-self.decimals)
        if shown <= smallest / 2:  # half of it is rounded to 0
            return f"<{format_amount(smallest, self.pattern)}"
        return format_amount(shown, self.pattern)


def _find_unit(amount: Decimal) -> tuple[int, str]:
    """Return an amount's unit as a power of ten, and the pattern of figures in that unit.

    The pattern is that of large numbers: Arabic, for one, has another word for few thousands.
    """
    patterns = current_locale().compact_decimal_formats["short"]["other"]
    sizes = [int(size) for size in patterns if int(size) <= amount]
    text = patterns[str(max(sizes))].pattern if sizes else "0"
    if text == "0":  # German, for one, has no short form of thousands
        return 0, text
    return Decimal(max(sizes)).adjusted() + 1 - text.count("0"), text


@cache
def _make_unit(text: str, decimals: int) -> NumberPattern:
    """Return a compact pattern such as ``000M`` with so many decimals."""
    return parse_pattern(text.replace("0" * text.count("0"), f"#,##0.{'0' * decimals}"))


def init_figures(app: Flask) -> None:
    app.jinja_env.globals["draw_avatar"] = draw_avatar
    app.jinja_env.globals["is_old"] = is_old
    app.jinja_env.globals["uses_chain"] = lambda: runtime().balances.uses_chain
    app.jinja_env.filters |= {
        "age": format_age,
        "axis": write_axis,
        "change": format_change,
        "day": format_day,
        "in_full": format_in_full,
        "instant": times.format_instant,
        "share": format_share,
        "share_of": amounts.find_share,
        "short": format_short,
        "short_day": format_short_day,
        "weekday": format_weekday,
    }


def format_in_full(amount: Decimal, *, signed: bool = False) -> str:
    """Format with all decimals; `signed`: also with a plus sign."""
    return _sign(format_amount(amount or Decimal(0), _EXACT), signed and amount > 0)  # also of -0


def _sign(figure: str, is_gain: bool) -> str:
    return f"+{figure}" if is_gain else figure.replace("-", "\N{MINUS SIGN}")


def format_short(amount: Decimal) -> str:
    """Format with three significant digits, in thousands, millions and so on."""
    rounded = _THREE_DIGITS.plus(amount)
    with localcontext(prec=amounts.PRECISION):
        figure = str(
            format_compact_decimal(
                rounded, locale=current_locale(), fraction_digits=amounts.MAX_DECIMALS
            )
        )
    # German, for one, has no short form of thousands.
    return format_amount(rounded, _SHORT) if figure.isdigit() else figure


def write_axis(figures: Sequence[Decimal]) -> list[str]:
    """Format the figures of an axis, all of them in the unit of the largest: ``0.95M``, ``1M``."""
    exponent, text = _find_unit(max(figures))
    pattern = _make_unit(text, 0)
    return [
        str(pattern.apply(one.scaleb(-exponent), current_locale(), decimal_quantization=False))
        if one
        else "0"
        for one in figures
    ]


def format_share(share: Decimal, digits: int, *, signed: bool = False) -> str:
    """Format a part of 1 as a percentage, with `digits` decimals and, if `signed`, a plus sign."""
    smallest = Decimal(1).scaleb(-digits - 2)
    is_tiny = 0 < share <= smallest / 2  # half of it is rounded to 0
    pattern = _make_percentage(current_locale().percent_formats[None].pattern, digits)
    figure = format_amount(smallest if is_tiny else share, pattern)
    return f"<{figure}" if is_tiny else _sign(figure, signed and share > 0)


def format_change(part: Decimal | None) -> str:
    """Format a change by a `part` of what was held before: ``+0.8%``, ``+12.3%``, ``+240%``.

    Empty if it's unknown or rounds to 0; ``>999%`` for more than that.
    """
    change = amounts.round_change(part or Decimal(0))
    if not change:
        return ""
    if change > _MOST_GROWTH:
        return f">{format_share(_MOST_GROWTH, 0)}"
    return format_share(change, 0 if abs(change) >= 1 else 1, signed=True)


@cache
def _make_percentage(pattern: str, digits: int) -> NumberPattern:
    """Add decimals to a language's percentage pattern."""
    return parse_pattern(pattern.replace("##0", "##0." + "0" * digits))


def format_age(instant: datetime) -> str:
    """Return how long ago something was, in words; scripts keep it up to date."""
    # A time that's in the future by another machine's clock counts as a moment ago.
    age = max(runtime().clock() - instant, timedelta(seconds=1))
    return format_timedelta(-age, add_direction=True, locale=current_locale())


def is_old(read_at: datetime) -> bool:
    """Return whether balances read at that time have missed several readings since."""
    return runtime().clock() - read_at > runtime().settings.balance_max_age


def format_day(instant: datetime) -> str:
    return format_date(instant, format="long", locale=current_locale())


def format_short_day(instant: datetime) -> str:
    return format_skeleton("MMMd", instant, locale=current_locale())


def format_weekday(instant: datetime) -> str:
    """Return the name of a day of the last week."""
    return format_date(instant, "EEEE", locale=current_locale())
