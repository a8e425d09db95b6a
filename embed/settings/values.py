"""How settings are read, and those that are limits, numbers, times and choices."""

import re
from collections.abc import Callable, Sequence
from dataclasses import field
from datetime import timedelta
from typing import TypeVar

from limits import RateLimitItem, parse_many

_SPAN = re.compile(r"([0-9]{1,5}) (second|minute|hour|day)s?")

Value = TypeVar("Value")


class SettingsError(ValueError):
    """A variable has an invalid value; the text names the variable."""


def read(
    parse: Callable[[str], Value], default: str | None = None, *, is_secret: bool = False
) -> Value:
    """Describe how a setting is read from the variable that has its name in capitals.

    `parse` raises ValueError with the end of a sentence that begins with the variable's name. A
    variable that is not set is read as `default`.
    """
    described: Value = field(metadata={"parse": parse, "default": default}, repr=not is_secret)
    return described


def parse_limit(raw: str) -> RateLimitItem:
    try:
        (limit,) = parse_many(raw)  # only one limit is supported
    except ValueError:
        raise ValueError("must look like 600/minute or 20/10 minutes.") from None
    if limit.amount < 1:
        raise ValueError("must allow 1 or more.")
    return limit


def parse_whole_number(raw: str, *, least: int) -> int:
    if not (raw.isascii() and raw.isdigit() and len(raw) < 10 and int(raw) >= least):
        raise ValueError(f"must be a whole number, {least} or more.")
    return int(raw)


def parse_seconds(raw: str) -> timedelta:
    return timedelta(seconds=parse_whole_number(raw, least=1))


def parse_span(raw: str, *, example: str) -> timedelta:
    """Read a time such as ``10 minutes`` or ``1 day``."""
    form = _SPAN.fullmatch(raw)
    try:
        span = timedelta(**{f"{form[2]}s": int(form[1])}) if form else None
    except OverflowError:
        span = None
    if not span:
        raise ValueError(f"must look like {example}.")
    return span


def parse_switch(raw: str) -> bool:
    return parse_choice(raw, of=("0", "1")) == "1"


def parse_choice(raw: str, *, of: Sequence[str]) -> str:
    if raw not in of:
        raise ValueError(f"must be {' or '.join(of)}.")
    return raw
