"""The rate limit counters of one process."""

import sys

import pytest
from limits import parse
from limits.strategies import FixedWindowRateLimiter
from support.remote import at_once

from embed.rate_limits import storages
from embed.rate_limits.storages import ExactMemoryStorage


@pytest.fixture
def hurried_threads():
    """Let threads interrupt each other as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_threads_that_count_at_once_get_past_the_limit_just_so_often(hurried_threads):
    for _ in range(20):
        limiter, limit = FixedWindowRateLimiter(ExactMemoryStorage()), parse("100/hour")

        def hit_often(limiter=limiter, limit=limit):
            return sum(limiter.hit(limit, "anybody") for _ in range(50))

        assert sum(at_once([hit_often] * 8)) == 100


def test_window_ends_when_its_storage_says(monkeypatch):
    now = 1_000_000.0
    monkeypatch.setattr(storages.time, "time", lambda: now)
    kept = ExactMemoryStorage()

    kept.incr("client", expiry=60)
    now += 59.9
    kept.incr("client", expiry=60)
    assert (kept.get("client"), kept.get_expiry("client")) == (2, 1_000_060.0)

    now += 0.1
    assert kept.get("client") == 0
    assert (kept.incr("client", expiry=60), kept.get_expiry("client")) == (1, now + 60)


def test_counters_can_be_forgotten_one_by_one_and_all_together():
    kept = ExactMemoryStorage()
    for client in ("one", "two", "three"):
        kept.incr(client, expiry=60)

    kept.clear("one")

    assert [kept.get("one"), kept.get("two")] == [0, 1]
    assert (kept.reset(), len(kept._windows)) == (2, 0)


def test_what_has_expired_is_forgotten_and_the_rest_is_not(monkeypatch):
    monkeypatch.setattr(storages, "SWEEP_EVERY_S", 0)
    kept = ExactMemoryStorage()
    for number in range(100):
        kept.incr(f"client {number}", expiry=0)

    kept.incr("today", expiry=60)
    kept.incr("today", expiry=60)

    assert len(kept._windows) == 1
    assert kept.get("today") == 2
