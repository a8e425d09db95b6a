"""Rate limits (docs/api.md, Limits), each with its own error code and an exact Retry-After."""

import hmac
import logging
import time
from datetime import timedelta

from limits import RateLimitItem
from limits.errors import StorageError
from limits.strategies import FixedWindowRateLimiter
from limits.strategies import RateLimiter as Strategy

from embed.errors import ApiError
from embed.metrics import LIMITED, storage_failures
from embed.rate_limits.storages import ExactMemoryStorage

# How long a failed storage is not used, so that no request waits for it meanwhile.
_FAILURE_PAUSE_S = 5.0

_log = logging.getLogger(__name__)


class RateLimiter:
    """Uses shared counters, or this process's own while the shared ones are unavailable.

    What is counted, such as a client's address, is a keyed hash in the storage, since a Redis may
    save it to disk. All processes need the same `secret_key` to count together.
    """

    def __init__(self, shared: Strategy, secret_key: str) -> None:
        self._hash_key = hmac.digest(secret_key.encode(), b"embed rate limits", "sha256")
        self._shared = shared
        self._own = FixedWindowRateLimiter(ExactMemoryStorage())
        self._shared_paused_until = 0.0

    @property
    def is_fallen_back(self) -> bool:
        """Tell whether this process counts for itself because the shared counters failed."""
        return time.monotonic() < self._shared_paused_until

    def hit(self, code: str, limit: RateLimitItem, who: str) -> None:
        """Count one request of `who`. Raises ApiError `code` above the limit."""
        wait = self.find_wait(code, limit, who)
        if wait is not None:
            raise ApiError(code, retry_after=wait)

    def find_wait(self, name: str, limit: RateLimitItem, who: str) -> timedelta | None:
        """Count one request of `who`; above the limit, tell the metrics, and return the wait."""
        wait = self.count(name, limit, who)
        if wait is not None:
            LIMITED.labels(name).inc()
        return wait

    def count(self, name: str, limit: RateLimitItem, who: str) -> timedelta | None:
        """Count one request of `who`; above the limit, return how long the window still lasts.

        `name` and the hash of `who` are the key in Redis: changing either resets the counters of
        a running installation.
        """
        who = self._hash(who)
        if self.is_fallen_back:
            return _count(self._own, name, limit, who)
        try:
            return _count(self._shared, name, limit, who)
        except StorageError as error:
            _log.warning("Rate limits are counted per process for now: %s", error)
            self._shared_paused_until = time.monotonic() + _FAILURE_PAUSE_S
            storage_failures().inc()
            return _count(self._own, name, limit, who)

    def _hash(self, who: str) -> str:
        return hmac.digest(self._hash_key, who.encode(errors="surrogatepass"), "sha256").hex()


def _count(counters: Strategy, name: str, limit: RateLimitItem, who: str) -> timedelta | None:
    if counters.hit(limit, name, who):
        return None
    reset_at = counters.get_window_stats(limit, name, who).reset_time
    return timedelta(seconds=reset_at - time.time())
