"""Limits that Flask-Limiter's strategy decides, in a process's memory and in Redis."""

from datetime import timedelta
from itertools import product

import pytest
from limits import parse
from limits.errors import StorageError
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

from embed import rate_limits
from embed.errors import ApiError
from embed.rate_limits import RateLimits
from embed.settings import Settings, SettingsError
from embed.settings.storages import check_storage

LIMIT = parse("2/hour")
SECRET_KEY = "a key of sixteen characters"
IMPOSSIBLE = [
    "redis+sentinel://127.0.0.1:1",  # no service
    "redis+cluster://127.0.0.1",  # no port
    "redis://127.0.0.1:1?unheard_of=1",
    "carrier-pigeon://127.0.0.1",
]


class ShakyStorage(MemoryStorage):
    """Counters that can be made unavailable."""

    is_away = False

    def incr(self, *arguments, **more) -> int:
        self._fail_if_away()
        return super().incr(*arguments, **more)

    def get_expiry(self, key: str) -> float:
        self._fail_if_away()
        return super().get_expiry(key)

    def _fail_if_away(self) -> None:
        if self.is_away:
            raise StorageError(ConnectionError("gone"))


@pytest.fixture
def storage():
    return ShakyStorage()


@pytest.fixture
def limits(storage):
    return count_in(storage)


def count_in(storage, secret_key=SECRET_KEY, uri="redis://localhost") -> RateLimits:
    strategy = FixedWindowRateLimiter(storage)
    environ = {"SECRET_KEY": secret_key, "RATELIMIT_STORAGE_URI": uri}
    return RateLimits(lambda: strategy, Settings.from_environ(environ))


def passes(limits: RateLimits, who: str = "a") -> bool:
    return not limits.is_above("rate_limit_key", LIMIT, who)


def test_one_too_many_is_refused_with_its_code_and_the_time_to_wait(limits):
    for _ in range(2):
        limits.check_limit("rate_limit_key", LIMIT, "a")

    with pytest.raises(ApiError, match="rate_limit_key") as refusal:
        limits.check_limit("rate_limit_key", LIMIT, "a")

    assert timedelta(minutes=59) < refusal.value.retry_after <= timedelta(hours=1)
    limits.check_limit("rate_limit_key", LIMIT, "b")


def test_processes_with_one_secret_count_together(limits, storage):
    other, stranger = count_in(storage), count_in(storage, "another key that counts alone")

    assert [passes(limits), passes(other), passes(limits)] == [True, True, False]
    assert passes(stranger)


@pytest.mark.parametrize("who", ["2001:db8::", "sign-in ann@example.com", "\ud800"])
def test_storage_is_not_told_who_is_counted(limits, storage, who):
    limits.check_limit("rate_limit_ip", LIMIT, who)

    (key,) = storage.storage
    assert who not in key


@pytest.mark.parametrize("who", ["", "\ud800"])
def test_a_process_counts_anybody_in_its_own_memory(storage, who):
    limits = count_in(storage, uri="memory://")

    assert [limits.is_above("sign_in", LIMIT, who) for _ in range(3)] == [False, False, True]


def test_names_limits_and_what_is_counted_have_their_own_counters(limits):
    names, amounts = ("rate_limit_ip", "rate_limit_key"), (LIMIT, parse("2/day"))
    counters = list(product(names, amounts, ("a", "b")))

    for _ in range(2):
        assert [limits.is_above(*counter) for counter in counters] == [False] * 8
    assert all(limits.is_above(*counter) for counter in counters)


def test_storage_that_fails_refuses_nobody_and_counts_again_afterwards(limits, storage):
    assert [passes(limits), passes(limits), passes(limits)] == [True, True, False]

    storage.is_away = True
    assert [passes(limits) for _ in range(3)] == [True] * 3
    assert limits.find_wait("rate_limit_key", LIMIT, "a") is None

    storage.is_away = False
    assert not passes(limits)


@pytest.mark.parametrize("part_s", [0.0, 0.4, 0.999])
@pytest.mark.parametrize("tells", [lambda end: end, lambda end: int(end)], ids=["exact", "seconds"])
def test_wait_is_never_too_short_and_never_longer_than_the_window(
    limits, storage, monkeypatch, part_s, tells
):
    """Redis tells the end of a window in whole seconds."""
    limit, now, left_s = parse("2/minute"), 1_000_000 + part_s, 59.7
    monkeypatch.setattr(rate_limits.time, "time", lambda: now)
    monkeypatch.setattr(storage, "get_expiry", lambda _: tells(now + left_s))

    wait_s = limits.refuse("rate_limit_key", limit, "a").total_seconds()

    assert left_s <= wait_s <= 60


# Which addresses of storages are accepted


@pytest.mark.parametrize("uri", IMPOSSIBLE)
def test_storage_that_can_never_be_reached_is_refused_in_one_line(uri):
    with pytest.raises(SettingsError, match=r"^RATELIMIT_STORAGE_URI cannot be used: .+$") as told:
        check_storage(uri)

    assert "\n" not in str(told.value)
