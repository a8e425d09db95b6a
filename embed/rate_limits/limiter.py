"""Rate limits (spec 8), each with its own error code and an exact Retry-After."""

import logging
import time
from datetime import timedelta

from limits import RateLimitItem
from limits.errors import StorageError
from limits.strategies import FixedWindowRateLimiter
from limits.strategies import RateLimiter as Strategy

from embed.errors import ApiError
from embed.rate_limits.memory_storage import ExactMemoryStorage

# How long a failed storage is not used, so that no request waits for it meanwhile.
_FAILURE_PAUSE_S = 5.0

_log = logging.getLogger(__name__)


class RateLimiter:
    """Uses shared counters, or this process's own while the shared ones are unavailable."""

    def __init__(self, shared: Strategy) -> None:
        self._shared = shared
        self._own = FixedWindowRateLimiter(ExactMemoryStorage())
        self._shared_paused_until = 0.0

    def hit(self, code: str, limit: RateLimitItem, who: str) -> None:
        """Count one request of `who`. Raises ApiError `code` above the limit.

        `code` and `who` are the key in Redis: changing their form resets the counters of a
        running installation.
        """
        if time.monotonic() < self._shared_paused_until:
            return _hit(self._own, code, limit, who)
        try:
            return _hit(self._shared, code, limit, who)
        except StorageError as error:
            _log.warning("Rate limits are counted per process for now: %s", error)
            self._shared_paused_until = time.monotonic() + _FAILURE_PAUSE_S
            return _hit(self._own, code, limit, who)


def _hit(counters: Strategy, code: str, limit: RateLimitItem, who: str) -> None:
    if not counters.hit(limit, code, who):
        reset_at = counters.get_window_stats(limit, code, who).reset_time
        raise ApiError(code, retry_after=timedelta(seconds=reset_at - time.time()))
