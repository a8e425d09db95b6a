from datetime import UTC, datetime, timedelta, timezone

import pytest

from embed.domain.times import format_instant, to_ms

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("instant", "ms"),
    [
        pytest.param(EPOCH, 0, id="epoch"),
        pytest.param(datetime(2026, 1, 31, 9, 30, tzinfo=UTC), 1_769_851_800_000, id="2026"),
        pytest.param(EPOCH + timedelta(microseconds=1999), 1, id="rounded down"),
        pytest.param(EPOCH - timedelta(microseconds=1), -1, id="rounded down before 1970, too"),
        pytest.param(
            datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), 0, id="another zone"
        ),
    ],
)
def test_instant_is_counted_in_whole_milliseconds_since_1970(instant, ms):
    assert to_ms(instant) == ms


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        pytest.param(
            datetime(2026, 1, 31, 9, 30, tzinfo=UTC), "2026-01-31T09:30:00.000Z", id="whole second"
        ),
        pytest.param(
            datetime(2026, 1, 31, 9, 30, 0, 7_000, tzinfo=UTC),
            "2026-01-31T09:30:00.007Z",
            id="milliseconds",
        ),
        pytest.param(
            datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
            "2026-12-31T23:59:59.999Z",
            id="never rounded up",
        ),
        pytest.param(
            datetime(2026, 1, 31, 1, 0, tzinfo=timezone(timedelta(hours=5, minutes=30))),
            "2026-01-30T19:30:00.000Z",
            id="another zone",
        ),
    ],
)
def test_instant_is_written_in_utc_with_milliseconds(instant, text):
    assert format_instant(instant) == text
