"""The rate limit counters of one process."""

import sys

import pytest
from limits import parse
from limits.strategies import FixedWindowRateLimiter
from remote import at_once

from embed.rate_limits import memory_storage


@pytest.fixture
def hurried_threads():
    """Let threads interrupt each other as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_threads_that_count_at_once_get_past_the_limit_just_so_often(hurried_threads):
    for _ in range(20):
        limiter, limit = FixedWindowRateLimiter(memory_storage.Counters()), parse("100/hour")

        def hit_often(limiter=limiter, limit=limit):
            return sum(limiter.hit(limit, "anybody") for _ in range(50))

        assert sum(at_once([hit_often] * 8)) == 100


def test_window_that_is_over_starts_anew():
    kept = memory_storage.Counters()

    assert [kept.incr("over", expiry=0), kept.incr("over", expiry=0)] == [1, 1]
    assert [kept.incr("open", expiry=60), kept.incr("open", expiry=60)] == [1, 2]


def test_what_has_expired_is_forgotten_and_the_rest_is_not(monkeypatch):
    monkeypatch.setattr(memory_storage, "SWEEP_EVERY_S", 0)
    kept = memory_storage.Counters()
    for number in range(100):
        kept.incr(f"client {number}", expiry=0)

    kept.incr("today", expiry=60)
    kept.incr("today", expiry=60)

    assert kept.storage == {"today": 2}
    assert list(kept.expirations) == ["today"]
