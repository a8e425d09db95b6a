"""Rate limits (spec 8), each with a code of its own and a true Retry-After."""

import logging
import time
from datetime import timedelta

from limits import RateLimitItem
from limits.errors import StorageError
from limits.strategies import FixedWindowRateLimiter
from limits.strategies import RateLimiter as Strategy

from embed.errors import ApiError
from embed.rate_limits.memory_storage import ExactMemoryStorage

# How long a storage that failed is left alone, so that no request waits for it meanwhile.
_REST_S = 5.0

_log = logging.getLogger(__name__)


class RateLimiter:
    """The shared counters, and this process's own for the time that the shared are away."""

    def __init__(self, shared: Strategy) -> None:
        self._shared = shared
        self._own = FixedWindowRateLimiter(ExactMemoryStorage())
        self._shared_rests_until = 0.0

    def hit(self, code: str, limit: RateLimitItem, who: str) -> None:
        """Count one request of `who`. Raises ApiError `code` when it is one too many.

        Code and `who` make the key in Redis: with others, a running installation forgets.
        """
        if time.monotonic() < self._shared_rests_until:
            return _hit(self._own, code, limit, who)
        try:
            return _hit(self._shared, code, limit, who)
        except StorageError as error:
            _log.warning("Rate limits are counted per process for now: %s", error)
            self._shared_rests_until = time.monotonic() + _REST_S
            return _hit(self._own, code, limit, who)


def _hit(counters: Strategy, code: str, limit: RateLimitItem, who: str) -> None:
    if not counters.hit(limit, code, who):
        reset_at = counters.get_window_stats(limit, code, who).reset_time
        raise ApiError(code, retry_after=timedelta(seconds=reset_at - time.time()))
