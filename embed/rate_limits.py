"""Rate limits that depend on what a request says (docs/api.md, Limits).

Flask-Limiter counts and decides; embed/web/rate_limits.py makes it.
"""

import hmac
import logging
import math
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cached_property

from limits import RateLimitItem
from limits.errors import StorageError
from limits.strategies import RateLimiter

from embed.errors import ApiError
from embed.metrics import LIMITED
from embed.settings import Settings
from embed.settings.storages import is_shared

_log = logging.getLogger(__name__)


class RateLimits:
    """Counts with the strategy that `find_strategy` returns: the storage's, or its fallback's."""

    def __init__(self, find_strategy: Callable[[], RateLimiter], settings: Settings) -> None:
        self._find_strategy = find_strategy
        self._settings = settings

    def check_limit(self, code: str, limit: RateLimitItem, who: str) -> None:
        """Count a request. Raises ApiError `code` above the limit."""
        wait = self.find_wait(code, limit, who)
        if wait is not None:
            raise ApiError(code, retry_after=wait)

    def find_wait(self, name: str, limit: RateLimitItem, who: str) -> timedelta | None:
        """Count a request; above the limit, tell the metrics, and return how long to wait."""
        return self.refuse(name, limit, who) if self.is_above(name, limit, who) else None

    def refuse(self, name: str, limit: RateLimitItem, who: str) -> timedelta:
        """Tell the metrics of a refused request, and return how long to wait."""
        LIMITED.labels(name).inc()
        longest = limit.get_expiry()
        try:
            stats = self._find_strategy().get_window_stats(limit, self.name_who(who), name)
        except StorageError:
            return timedelta(seconds=longest)
        # Until the window surely ends: Redis only tells whole seconds.
        return timedelta(seconds=min(math.floor(stats.reset_time) + 1 - time.time(), longest))

    def is_above(
        self, name: str, limit: RateLimitItem, who: str, *, if_unknown: bool = False
    ) -> bool:
        """Count a request, and return whether there were more than the limit in its window.

        If the storage fails, return `if_unknown`.
        """
        try:
            return not self._find_strategy().hit(limit, self.name_who(who), name)
        except StorageError as error:  # Flask-Limiter falls back at the next request
            _log.warning("A rate limit could not be checked: %s", error)
            return if_unknown

    def name_who(self, who: str) -> str:
        """Return how a storage knows who is counted, such as a client by its address.

        In a shared one it's a keyed hash, since a Redis may save it to disk. All processes need the
        same secret key to count together.
        """
        if not is_shared(self._settings.ratelimit_storage_uri):
            return who or "-"  # Flask-Limiter doesn't count an empty one
        return hmac.digest(self._hash_key, who.encode(errors="surrogatepass"), "sha256").hex()

    @cached_property
    def _hash_key(self) -> bytes:
        secret_key, *_ = self._settings.with_secret_key().secret_keys
        return hmac.digest(secret_key.encode(), b"embed rate limits", "sha256")
