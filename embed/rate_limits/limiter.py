"""Rate limits (docs/api.md, Limits), each with its own error code and an exact Retry-After."""

import hmac
import logging
import time
from datetime import timedelta

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import Storage

from embed.errors import ApiError
from embed.metrics import LIMITED, STORAGE_FAILURES
from embed.rate_limits.windows import Window, Windows

# How long a failed storage is not used, so that no request waits for it meanwhile.
_FAILURE_PAUSE_S = 5.0

# Each process counts this part of a limit ahead in the shared storage, since asking it for every
# request would double the CPU of the tracking read. So limits of 200 and more can be reached up to
# 1 % early for each process.
_SHARES = 100
_COUNTED_AHEAD = Window(0, 0.0)

_log = logging.getLogger(__name__)


class RateLimiter:
    """Counts requests in fixed windows, either in a storage that processes share or in this one.

    This process's counters also replace the shared ones while those are unavailable. In the
    storage, what is counted, such as a client's address, is a keyed hash, since a Redis may save
    it to disk. All processes need the same `secret_key` to count together.
    """

    def __init__(self, shared: Storage | None, secret_key: str) -> None:
        self._hash_key = hmac.digest(secret_key.encode(), b"embed rate limits", "sha256")
        self._shared, self._own = shared, Windows()
        self._exceeded = Windows()  # counters known to be above their limit, until then
        self._shared_paused_until = 0.0

    def hit(self, name: str, limit: RateLimitItem, who: str) -> None:
        """Count a request. Raises ApiError `name` above the limit."""
        wait = self.find_wait(name, limit, who)
        if wait is not None:
            raise ApiError(name, retry_after=wait)

    def find_wait(self, name: str, limit: RateLimitItem, who: str) -> timedelta | None:
        """Count a request; above the limit, tell the metrics, and return the wait."""
        wait = self.count(name, limit, who)
        if wait is not None:
            LIMITED.labels(name).inc()
        return wait

    def count(self, name: str, limit: RateLimitItem, who: str) -> timedelta | None:
        """Count a request; above the limit, return how long until the window ends."""
        if self._shared is None:
            window = self._own.add((name, limit, who), limit.get_expiry())
        else:
            window = self._count_shared(self._shared, name, limit, who)
        if window.hits <= limit.amount:
            return None
        return timedelta(seconds=max(window.ends_at - time.time(), 1))

    def _count_shared(self, shared: Storage, name: str, limit: RateLimitItem, who: str) -> Window:
        counter = name, limit, who
        exceeded = self._exceeded.find(counter)
        if exceeded is not None:
            return exceeded
        own = self._own.add(counter, limit.get_expiry())
        if time.monotonic() < self._shared_paused_until:
            return own
        share = max(1, limit.amount // _SHARES)
        if (own.hits - 1) % share:
            return _COUNTED_AHEAD
        hashed = hmac.digest(self._hash_key, who.encode(errors="surrogatepass"), "sha256").hex()
        key = limit.key_for(name, hashed)  # changing it would reset the counters in Redis
        try:
            hits = shared.incr(key, limit.get_expiry(), share)
            if hits <= limit.amount:
                return Window(hits, 0.0)
            wait_s = shared.get_expiry(key) - time.time()
            return self._exceeded.add(counter, wait_s, hits)
        except StorageError as error:
            _log.warning("Rate limits are counted per process for now: %s", error)
            self._shared_paused_until = time.monotonic() + _FAILURE_PAUSE_S
            STORAGE_FAILURES.inc()
            return own
