"""Instants: aware UTC datetimes of whole milliseconds."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

Clock = Callable[[], datetime]
Seconds: TypeAlias = float  # of time-outs, waits and the monotonic clock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_DAY = timedelta(days=1)


def now() -> datetime:
    """Read the system's clock."""
    return from_ms(to_ms(datetime.now(UTC)))


def to_ms(instant: datetime) -> int:
    """Return whole milliseconds since 1970, rounded down."""
    return (instant - _EPOCH) // _MILLISECOND


def from_ms(ms: int) -> datetime:
    return _EPOCH + ms * _MILLISECOND


def count_days(instant: datetime) -> int:
    """Return the number of days from 1970 to the instant's, in UTC, as in columns named `day`."""
    return (instant - _EPOCH) // _DAY


def format_instant(instant: datetime) -> str:
    """Return ISO 8601 UTC with milliseconds and ``Z``, such as ``2026-01-31T09:30:00.000Z``."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
