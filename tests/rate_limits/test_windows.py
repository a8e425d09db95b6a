"""The rate limit counters of one process."""

import sys

import pytest
from support.remote import at_once

from embed.rate_limits import windows
from embed.rate_limits.windows import Window, Windows


@pytest.fixture
def hurried_threads():
    """Let threads interrupt each other as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_threads_that_count_at_once_lose_no_count(hurried_threads):
    for _ in range(20):
        counters = Windows()

        def add_often(counters=counters):
            return [counters.add("anybody", 60).hits for _ in range(50)]

        counted = [hits for some in at_once([add_often] * 8) for hits in some]
        assert sorted(counted) == list(range(1, 401))


def test_window_ends_when_it_says(monkeypatch):
    now = 1_000_000.0
    monkeypatch.setattr(windows.time, "time", lambda: now)
    counters = Windows()

    counters.add("client", 60)
    now += 59.9
    assert counters.add("client", 60, hits=2) == Window(3, 1_000_060.0)
    assert counters.find("client") == Window(3, 1_000_060.0)

    now += 0.1
    assert counters.find("client") is None
    assert counters.add("client", 60) == Window(1, now + 60)


def test_what_has_expired_is_forgotten_and_the_rest_is_not(monkeypatch):
    monkeypatch.setattr(windows, "SWEEP_EVERY_S", 0)
    counters = Windows()
    for number in range(100):
        counters.add(f"client {number}", 0)

    counters.add("today", 60)
    counters.add("today", 60)

    assert len(counters._windows) == 1
    assert counters.find("today").hits == 2
