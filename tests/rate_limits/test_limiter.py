"""Which counters are used, and the contents of a refusal."""

import secrets
import time
from datetime import timedelta
from itertools import product

import pytest
from limits import parse
from limits.errors import StorageError
from support.remote import at_once

from embed.errors import ApiError
from embed.rate_limits import limiter
from embed.rate_limits.limiter import RateLimiter
from embed.rate_limits.storages import open_storage
from embed.rate_limits.windows import Windows

LIMIT = parse("2/hour")
SECRET_KEY = "a key of sixteen characters"


class ShakyStorage:
    """Shared counters that can be made unavailable, and count their calls."""

    def __init__(self) -> None:
        self.windows = Windows()
        self.is_away = False
        self.asked = 0

    def incr(self, key: str, expiry: float, amount: int) -> int:
        self.asked += 1
        if self.is_away:
            raise StorageError(ConnectionError("gone"))
        return self.windows.add(key, expiry, amount).hits

    def get_expiry(self, key: str) -> float:
        return self.windows.find(key).ends_at


@pytest.fixture
def shared():
    return ShakyStorage()


@pytest.fixture
def counting(shared):
    return RateLimiter(shared, SECRET_KEY)


def refusal_of(counting: RateLimiter, who: str = "a") -> ApiError | None:
    try:
        return counting.hit("rate_limit_key", LIMIT, who)
    except ApiError as refusal:
        return refusal


def passes(counting: RateLimiter, who: str = "a") -> bool:
    return refusal_of(counting, who) is None


def test_one_too_many_is_refused_with_its_code_and_the_time_to_wait(counting):
    assert [passes(counting), passes(counting)] == [True, True]

    refusal = refusal_of(counting)

    assert refusal.code == "rate_limit_key"
    assert timedelta(minutes=59) < refusal.retry_after <= timedelta(hours=1)
    assert passes(counting, "b")


def test_keys_are_those_that_a_running_installation_has_in_redis(counting, shared):
    limit = parse("10/10 minutes")
    counting.hit("rate_limit_session", limit, "submission someone")

    hashed = "5d7c6afeedcbc1bc6a8236680af44a473621332ad1b67bc9b25b7fd13b711df9"
    key = f"LIMITER/rate_limit_session/{hashed}/10/10/minute"
    assert shared.windows.find(key).hits == 1


def test_processes_with_one_secret_count_together(counting, shared):
    other = RateLimiter(shared, SECRET_KEY)
    stranger = RateLimiter(shared, "another key, which counts alone")

    assert [passes(counting), passes(other), passes(counting)] == [True, True, False]
    assert passes(stranger)


@pytest.mark.parametrize("who", ["198.51.100.7", "2001:db8::", "sign-in ann@example.com", "\ud800"])
def test_storage_is_not_told_who_is_counted(counting, shared, who):
    counting.hit("rate_limit_ip", LIMIT, who)

    (key,) = shared.windows._windows
    assert who not in key


@pytest.mark.parametrize("where", ["shared", "own"])
def test_names_limits_and_what_is_counted_have_their_own_counters(where, shared):
    counting = RateLimiter(shared if where == "shared" else None, SECRET_KEY)
    names, limits = ("rate_limit_ip", "rate_limit_key"), (LIMIT, parse("2/day"))
    counters = list(product(names, limits, ("a", "b")))

    for _ in range(2):
        assert [counting.count(*counter) for counter in counters] == [None] * 8
    assert None not in [counting.count(*counter) for counter in counters]


def test_counters_that_fail_are_left_alone_for_a_while(counting, shared, monkeypatch):
    now = 0.0
    for clock in ("monotonic", "time"):
        monkeypatch.setattr(limiter.time, clock, lambda: now)
    shared.is_away = True

    assert [passes(counting) for _ in range(3)] == [True, True, False]
    assert shared.asked == 1

    shared.is_away = False
    now = 4.9
    assert passes(counting, "b")
    assert shared.asked == 1
    now = 5.1
    assert passes(counting, "b")
    assert shared.asked == 2


def test_client_above_its_limit_is_refused_without_a_question_until_its_window_ends(
    counting, shared, monkeypatch
):
    now = time.monotonic()
    for clock in ("monotonic", "time"):
        monkeypatch.setattr(limiter.time, clock, lambda: now)
    assert [passes(counting) for _ in range(3)] == [True, True, False]
    asked = shared.asked

    now += 1800
    assert timedelta(minutes=29) < refusal_of(counting).retry_after <= timedelta(minutes=31)
    assert shared.asked == asked

    now += 1801
    assert passes(counting)


def test_refused_client_has_to_wait_even_at_the_end_of_its_window(counting, shared, monkeypatch):
    """Redis rounds to seconds, and no time to wait would mean that nothing is refused."""
    monkeypatch.setattr(shared, "get_expiry", lambda key: time.time())

    assert [passes(counting) for _ in range(2)] == [True, True]
    assert refusal_of(counting).retry_after


def test_processes_count_a_hundredth_of_a_large_limit_ahead(shared):
    limit = parse("600/hour")
    processes = [RateLimiter(shared, SECRET_KEY) for _ in range(3)]

    def passes_through(process: RateLimiter) -> bool:
        return process.count("rate_limit_ip", limit, "a") is None

    assert sum(passes_through(processes[0]) for _ in range(300)) == 300
    assert shared.asked == 50
    turns = [passes_through(processes[number % 3]) for number in range(600)]
    assert turns.index(False) in range(282, 301)
    assert 282 <= sum(turns) <= 300


@pytest.mark.parametrize("kind", ["memory", "redis"])
def test_threads_that_count_at_once_get_past_the_limit_just_so_often(kind, redis_url):
    storage = open_storage(redis_url if kind == "redis" else "memory://")
    counting = RateLimiter(storage, secrets.token_hex())  # the server is not cleared

    def count_often():
        return [counting.count("rate_limit_ip", parse("40/hour"), "a") for _ in range(10)]

    waits = [wait for some in at_once([count_often] * 8) for wait in some]

    assert waits.count(None) == 40
    assert all(timedelta(minutes=59) < wait <= timedelta(hours=1) for wait in waits if wait)
