"""How a request is counted: against several limits at once, in order, in any storage.

Windows and keys are those of the library's fixed windows.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from time import time
from typing import NamedTuple

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import RedisClusterStorage, RedisStorage, Storage

_SCRIPT = b"""
for i, key in ipairs(KEYS) do
    local limit, window_s = tonumber(ARGV[2 * i - 1]), ARGV[2 * i]
    local count = redis.call("incr", key)
    if count == 1 then
        redis.call("expire", key, window_s)
    end
    if count > limit then
        return {i - 1, redis.call("pttl", key)}
    end
end
"""


class Counter(NamedTuple):
    """What counts the requests of one client, key or session."""

    name: str
    limit: RateLimitItem
    key: str  # in the storage


class Exceeded(NamedTuple):
    """The first of a request's counters that is above its limit."""

    counter: Counter
    wait: timedelta  # until its window ends


Count = Callable[[Sequence[Counter]], Exceeded | None]


def choose_count(storage: Storage) -> Count:
    """Return what counts a request up to the first limit that it exceeds, which it returns."""
    # A cluster has its keys on several servers.
    if isinstance(storage, RedisStorage) and not isinstance(storage, RedisClusterStorage):
        return _ScriptCount(storage)
    return partial(_count_each, storage)


def _count_each(storage: Storage, counters: Sequence[Counter]) -> Exceeded | None:
    for counter in counters:
        if storage.incr(counter.key, counter.limit.get_expiry()) > counter.limit.amount:
            left_s = storage.get_expiry(counter.key) - time()
            return Exceeded(counter, timedelta(seconds=left_s))
    return None


class _ScriptCount:
    """Counts in one round trip to a Redis."""

    def __init__(self, storage: RedisStorage) -> None:
        self._storage = storage
        self._script = storage.get_connection().register_script(_SCRIPT)
        self._takes_many_keys = True

    def __call__(self, counters: Sequence[Counter]) -> Exceeded | None:
        if not self._takes_many_keys:
            return _count_each(self._storage, counters)
        keys = [self._storage.prefixed_key(counter.key) for counter in counters]
        limits = [(each.limit.amount, each.limit.get_expiry()) for each in counters]
        try:
            found = self._script(keys, [number for pair in limits for number in pair])
        except self._storage.base_exceptions as error:
            if "hash to the same slot" not in str(error):
                raise StorageError(error) from error
            # A cluster behind one address. It has counted nothing yet.
            self._takes_many_keys = False
            return _count_each(self._storage, counters)
        if found is None:
            return None
        position, left_ms = found
        return Exceeded(counters[position], timedelta(milliseconds=max(left_ms, 0)))
