"""Rate limits (docs/api.md, Limits), each with its own error code and an exact Retry-After."""

import hmac
import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import Storage

from embed.errors import ApiError
from embed.metrics import LIMITED, STORAGE_FAILURES
from embed.rate_limits.storages import ExactMemoryStorage

# How long a failed storage is not used, so that no request waits for it meanwhile.
_FAILURE_PAUSE_S = 5.0

# How long counters are kept with what they count, such as an address, and how many.
_KEPT_S = 60.0
_MOST_KEPT = 10_000

_log = logging.getLogger(__name__)


class Counter(NamedTuple):
    """What counts the requests of one client, key or session, in a fixed window."""

    name: str
    limit: RateLimitItem
    key: str  # in the storage


class Exceeded(NamedTuple):
    """The first of a request's counters that is above its limit."""

    counter: Counter
    wait: timedelta  # until its window ends


class RateLimiter:
    """Uses shared counters, or this process's own while the shared ones are unavailable.

    What is counted, such as a client's address, is a keyed hash in the storage, since a Redis may
    save it to disk. All processes need the same `secret_key` to count together.
    """

    def __init__(self, shared: Storage, secret_key: str) -> None:
        self._hash_key = hmac.digest(secret_key.encode(), b"embed rate limits", "sha256")
        self._shared, self._own = shared, ExactMemoryStorage()
        self._shared_paused_until = 0.0
        self._counters: dict[tuple[str, RateLimitItem, str], Counter] = {}
        self._counters_end_at = 0.0
        self._exceeded = ExactMemoryStorage()  # for as long as the windows last
        self._exceeded_until = 0.0  # by time.time(); after it, no counter is known to be above

    def make_counter(self, name: str, limit: RateLimitItem, who: str) -> Counter:
        """Return the counter of `who`, which is kept, as it takes longer to make than to use.

        `name` and the hash of `who` are the key in Redis: changing either resets the counters of
        a running installation.
        """
        now = time.monotonic()
        if now >= self._counters_end_at or len(self._counters) >= _MOST_KEPT:
            self._counters, self._counters_end_at = {}, now + _KEPT_S
        counter = self._counters.get((name, limit, who))
        if counter is None:
            hashed = hmac.digest(self._hash_key, who.encode(errors="surrogatepass"), "sha256").hex()
            counter = Counter(name, limit, limit.key_for(name, hashed))
            self._counters[name, limit, who] = counter
        return counter

    def hit(self, *counters: Counter) -> None:
        """Count a request, in this order, up to the first limit that it exceeds.

        Raises ApiError with that counter's name for its code.
        """
        _refuse(self.count(*counters))

    def find_wait(self, counter: Counter) -> timedelta | None:
        """Count a request; above the limit, tell the metrics, and return the wait."""
        exceeded = self.count(counter)
        if exceeded is None:
            return None
        LIMITED.labels(counter.name).inc()
        return exceeded.wait

    def count(self, *counters: Counter) -> Exceeded | None:
        """Count a request, in this order, up to the first limit that it exceeds."""
        exceeded = self._find_exceeded(counters[0])
        if exceeded is None:
            exceeded = self._count(counters)
            if exceeded is not None:
                wait_s = exceeded.wait.total_seconds()
                self._exceeded.incr(exceeded.counter.key, wait_s)
                self._exceeded_until = max(self._exceeded_until, time.time() + wait_s)
        return exceeded

    def _find_exceeded(self, counter: Counter) -> Exceeded | None:
        if time.time() >= self._exceeded_until or not self._exceeded.get(counter.key):
            return None
        left_s = self._exceeded.get_expiry(counter.key) - time.time()
        return Exceeded(counter, timedelta(seconds=left_s))

    def _count(self, counters: Sequence[Counter]) -> Exceeded | None:
        if time.monotonic() < self._shared_paused_until:
            return _count_in(self._own, counters)
        try:
            return _count_in(self._shared, counters)
        except StorageError as error:
            _log.warning("Rate limits are counted per process for now: %s", error)
            self._shared_paused_until = time.monotonic() + _FAILURE_PAUSE_S
            STORAGE_FAILURES.inc()
            return _count_in(self._own, counters)


def _count_in(storage: Storage, counters: Sequence[Counter]) -> Exceeded | None:
    for counter in counters:
        if storage.incr(counter.key, counter.limit.get_expiry()) > counter.limit.amount:
            left_s = storage.get_expiry(counter.key) - time.time()
            return Exceeded(counter, timedelta(seconds=max(left_s, 0)))
    return None


def _refuse(exceeded: Exceeded | None) -> None:
    if exceeded is not None:
        LIMITED.labels(exceeded.counter.name).inc()
        raise ApiError(exceeded.counter.name, retry_after=exceeded.wait)
