"""Which counters are used, and the contents of a refusal."""

import secrets
import time
from datetime import timedelta

import pytest
from limits import parse
from limits.errors import StorageError
from support.remote import at_once

from embed.errors import ApiError
from embed.rate_limits import limiter
from embed.rate_limits.limiter import RateLimiter
from embed.rate_limits.storages import ExactMemoryStorage, open_storage

LIMIT = parse("2/hour")
SECRET_KEY = "a key of sixteen characters"


class ShakyStorage(ExactMemoryStorage):
    """Shared counters that can be made unavailable, and count their calls."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away = False
        self.asked = 0

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        self.asked += 1
        if self.is_away:
            raise StorageError(ConnectionError("gone"))
        return super().incr(key, expiry, amount)


@pytest.fixture
def shared():
    return ShakyStorage()


@pytest.fixture
def counting(shared):
    return RateLimiter(shared, SECRET_KEY)


def refusal_of(counting: RateLimiter, who: str = "a") -> ApiError | None:
    try:
        return counting.hit(counting.make_counter("rate_limit_key", LIMIT, who))
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
    counting.hit(counting.make_counter("rate_limit_session", limit, "submission someone"))

    hashed = "5d7c6afeedcbc1bc6a8236680af44a473621332ad1b67bc9b25b7fd13b711df9"
    assert shared.get(f"LIMITER/rate_limit_session/{hashed}/10/10/minute") == 1


def test_processes_with_one_secret_count_together(counting, shared):
    other = RateLimiter(shared, SECRET_KEY)
    stranger = RateLimiter(shared, "another key, which counts alone")

    assert [passes(counting), passes(other), passes(counting)] == [True, True, False]
    assert passes(stranger)


@pytest.mark.parametrize("who", ["198.51.100.7", "2001:db8::", "sign-in ann@example.com", "\ud800"])
def test_storage_is_not_told_who_is_counted(counting, shared, who):
    counter = counting.make_counter("rate_limit_ip", LIMIT, who)
    counting.hit(counter)

    (key,) = shared._windows
    assert who not in key
    assert counting.count(counter) is None
    assert counting.count(counter) is not None


def test_what_is_counted_is_forgotten_after_a_minute_or_ten_thousand_others(counting, monkeypatch):
    now = 0.0
    for clock in ("monotonic", "time"):
        monkeypatch.setattr(limiter.time, clock, lambda: now)
    counter = counting.make_counter("rate_limit_ip", LIMIT, "198.51.100.7")
    assert counting.make_counter("rate_limit_ip", LIMIT, "198.51.100.7") is counter
    assert "198.51.100.7" in repr(vars(counting))

    now = 60.0
    counting.make_counter("rate_limit_ip", LIMIT, "192.0.2.1")
    assert "198.51.100.7" not in repr(vars(counting))

    for number in range(10_000):
        counting.make_counter("rate_limit_ip", LIMIT, str(number))
    assert "192.0.2.1" not in repr(vars(counting))
    assert counting.make_counter("rate_limit_ip", LIMIT, "198.51.100.7") == counter


def test_counters_differ_by_name_limit_and_what_is_counted(counting):
    made = [
        counting.make_counter(name, limit, who)
        for name in ("rate_limit_ip", "rate_limit_key")
        for limit in (LIMIT, parse("2/minute"), parse("3/hour"))
        for who in ("a", "b")
        for _ in range(2)
    ]

    assert len({counter.key for counter in made}) == 12


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


def test_what_was_told_while_counters_failed_holds_when_they_are_back(
    counting, shared, monkeypatch
):
    now = 0.0
    for clock in ("monotonic", "time"):
        monkeypatch.setattr(limiter.time, clock, lambda: now)
    shared.is_away = True
    assert [passes(counting) for _ in range(3)] == [True, True, False]

    shared.is_away = False
    now = 5.1
    assert refusal_of(counting).retry_after > timedelta(minutes=59)
    now = 3601
    assert passes(counting)


def test_counters_are_asked_in_order_up_to_the_first_above_its_limit(counting, shared):
    narrow, wide = (
        counting.make_counter("rate_limit_ip", parse("1/hour"), "a"),
        counting.make_counter("rate_limit_key", parse("9/hour"), "b"),
    )
    counting.hit(narrow, wide)
    for _ in range(3):
        assert counting.count(narrow, wide).counter is narrow
    assert shared.get(wide.key) == 1

    for _ in range(3):
        assert counting.count(wide, narrow).counter is narrow
    assert shared.get(wide.key) == 4


@pytest.mark.parametrize("kind", ["memory", "redis"])
def test_threads_that_count_at_once_get_past_several_limits_just_so_often(kind, redis_url):
    storage = open_storage(redis_url if kind == "redis" else "memory://")
    counting = RateLimiter(storage, secrets.token_hex())  # the server is not cleared
    client = counting.make_counter("rate_limit_ip", parse("40/hour"), "a")
    key = counting.make_counter("rate_limit_key", parse("25/minute"), "b")

    def count_often():
        return [counting.count(client, key) for _ in range(10)]

    found = [each for some in at_once([count_often] * 8) for each in some]

    # 80 requests, of which 40 are the client's at most, and 25 the key's.
    assert found.count(None) == 25
    by_counter = [each.counter for each in found if each]
    assert (by_counter.count(key), by_counter.count(client)) == (15, 40)
    wait = counting.count(client).wait
    assert timedelta(minutes=59) < wait <= timedelta(hours=1)
