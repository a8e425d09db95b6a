"""Rate limits that depend on what a request says, and their storage (docs/api.md, Limits).

Flask-Limiter counts and decides; embed/web/rate_limits.py makes it.
"""

import hmac
import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from typing import cast

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import Storage, storage_from_string
from limits.strategies import RateLimiter

from embed.errors import ApiError
from embed.metrics import LIMITED
from embed.settings import Settings, SettingsError

_REDIS_TIMEOUT_S = 0.5
STORAGE_OPTIONS: dict[str, float | str | bool] = {
    "wrap_exceptions": True,
    "socket_timeout": _REDIS_TIMEOUT_S,
    "socket_connect_timeout": _REDIS_TIMEOUT_S,
}

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
        if not self.is_above(name, limit, who):
            return None
        LIMITED.labels(name).inc()
        return self.measure_wait(name, limit, who)

    def is_above(self, name: str, limit: RateLimitItem, who: str) -> bool:
        """Count a request, and return whether there were more than the limit in its window."""
        try:
            return not self._find_strategy().hit(limit, self.hash_who(who), name)
        except StorageError as error:  # Flask-Limiter falls back at the next request
            _log.warning("A rate limit could not be checked: %s", error)
            return False

    def measure_wait(self, name: str, limit: RateLimitItem, who: str) -> timedelta:
        """Return the time until the window surely ends; Redis only tells whole seconds."""
        longest = limit.get_expiry()
        try:
            stats = self._find_strategy().get_window_stats(limit, self.hash_who(who), name)
        except StorageError:
            return timedelta(seconds=longest)
        return timedelta(seconds=min(math.floor(stats.reset_time) + 1 - time.time(), longest))

    def hash_who(self, who: str) -> str:
        """Return a keyed hash of what is counted, such as an address: Redis may save it to disk.

        All processes need the same secret key to count together.
        """
        return hmac.digest(self._hash_key, who.encode(errors="surrogatepass"), "sha256").hex()

    @cached_property
    def _hash_key(self) -> bytes:
        secret_key, *_ = self._settings.with_secret_key().secret_keys
        return hmac.digest(secret_key.encode(), b"embed rate limits", "sha256")


def check_storage(uri: str) -> None:
    """Raises SettingsError for an address that can never work.

    A storage that is only unreachable passes, since it may come back.
    """
    with translate_storage_errors(), suppress(StorageError):
        open_storage(uri).get("any")


def open_storage(uri: str) -> Storage:
    """Return the setting's storage, which may be unreachable."""
    return cast(Storage, storage_from_string(uri, **STORAGE_OPTIONS))


def is_shared(uri: str) -> bool:
    """Return whether processes count together."""
    return not uri.startswith("memory:")


@contextmanager
def translate_storage_errors() -> Iterator[None]:
    """Raise SettingsError in place of any error in setting up a storage."""
    try:
        yield
    except Exception as error:  # each client library raises its own errors
        raise SettingsError(
            "RATELIMIT_STORAGE_URI cannot be used: its client finds a mistake in the host, the port"
            f" or the options ({type(error).__name__})."
        ) from None
