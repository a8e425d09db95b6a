from datetime import UTC, datetime, timedelta, timezone

import pytest

from embed.domain.times import format_instant, to_ms

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INDIA = timezone(timedelta(hours=5, minutes=30))


@pytest.mark.parametrize(
    ("instant", "ms"),
    [
        pytest.param(datetime(2026, 1, 31, 9, 30, tzinfo=UTC), 1_769_851_800_000, id="2026"),
        pytest.param(EPOCH + timedelta(microseconds=1999), 1, id="rounded down"),
        pytest.param(EPOCH - timedelta(microseconds=1), -1, id="rounded down before 1970, too"),
        pytest.param(datetime(1970, 1, 1, 5, 30, tzinfo=INDIA), 0, id="another zone"),
    ],
)
def test_instant_is_counted_in_whole_milliseconds_since_1970(instant, ms):
    assert to_ms(instant) == ms


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        ((2026, 1, 31, 9, 30, 0, 0, UTC), "2026-01-31T09:30:00.000Z"),
        ((2026, 12, 31, 23, 59, 59, 999_999, UTC), "2026-12-31T23:59:59.999Z"),
        ((2026, 1, 31, 1, 0, 0, 7_000, INDIA), "2026-01-30T19:30:00.007Z"),
    ],
)
def test_instant_is_written_in_utc_with_milliseconds_and_never_rounded_up(instant, text):
    assert format_instant(datetime(*instant)) == text
