"""Settings that are limits, numbers, times and choices."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta

from limits import RateLimitItem, parse_many

_SPAN = re.compile(r"([0-9]{1,5}) (second|minute|hour|day)s?")


class SettingsError(ValueError):
    """A variable has an invalid value; the text names the variable."""


def parse_limit(given: Mapping[str, str], name: str, default: str) -> RateLimitItem:
    try:
        (limit,) = parse_many(given.get(name, default))  # only one limit is supported
    except ValueError:
        raise SettingsError(f"{name} must look like 600/minute or 20/10 minutes.") from None
    if limit.amount < 1:
        raise SettingsError(f"{name} must allow 1 or more.")
    return limit


def parse_whole_number(given: Mapping[str, str], name: str, *, default: int, least: int) -> int:
    raw = given.get(name, str(default))
    if not (raw.isascii() and raw.isdigit() and len(raw) < 10 and int(raw) >= least):
        raise SettingsError(f"{name} must be a whole number, {least} or more.")
    return int(raw)


def parse_switch(given: Mapping[str, str], name: str, *, default: str) -> bool:
    raw = given.get(name, default)
    if raw not in ("0", "1"):
        raise SettingsError(f"{name} must be 0 or 1.")
    return raw == "1"


def read_span(given: Mapping[str, str], name: str, default: str) -> timedelta:
    span = parse_span(given.get(name, default))
    if not span:
        raise SettingsError(f"{name} must look like {default}.")
    return span


def parse_span(text: str) -> timedelta | None:
    """Return how long ``10 minutes`` or ``1 day`` are; None for any other form."""
    form = _SPAN.fullmatch(text)
    try:
        return timedelta(**{f"{form[2]}s": int(form[1])}) if form else None
    except OverflowError:
        return None


def parse_choice(given: Mapping[str, str], name: str, *, default: str, of: Sequence[str]) -> str:
    raw = given.get(name, default)
    if raw not in of:
        raise SettingsError(f"{name} must be {' or '.join(of)}.")
    return raw


def parse_background(given: Mapping[str, str]) -> str:
    """Read who does the background work; QUEUE_URL said so before BACKGROUND did."""
    if "QUEUE_URL" not in given:
        return parse_choice(given, "BACKGROUND", default="gunicorn", of=("gunicorn", "worker"))
    if given.get("BACKGROUND", "worker") != "worker":
        raise SettingsError("QUEUE_URL means BACKGROUND=worker; leave one of the two out.")
    return "worker"
