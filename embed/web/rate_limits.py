"""Rate limits (spec 8), each with a code of its own and a true Retry-After.

Flask-Limiter makes the shared storage and the strategy; the limits are hit by hand, because
its decorators would run in another order than the API's checks, and not at all for unknown
paths.
"""

import ipaddress
import time
from datetime import timedelta
from typing import cast

from flask import Flask, current_app, request
from flask_limiter import Limiter
from limits import RateLimitItem
from limits.errors import StorageError
from limits.strategies import FixedWindowRateLimiter, RateLimiter

from embed.errors import ApiError
from embed.rate_limits.memory_storage import Counters
from embed.settings import Settings
from embed.web.current import runtime
from embed.web.visitor import find_session_id

_EXTENSION = "embed_limits"
_REDIS_TIMEOUT_S = 0.5
# How long a storage that failed is left alone, so that no request waits for it meanwhile.
_REST_S = 5.0


class Limits:
    """The shared counters, and this process's own for the time that the shared are away."""

    def __init__(self, settings: Settings) -> None:
        self._own = FixedWindowRateLimiter(Counters())
        uri = settings.ratelimit_storage_uri
        self._shared = self._own if uri.startswith("memory:") else _share_over(uri)
        self._shared_rests_until = 0.0

    def hit(self, code: str, limit: RateLimitItem, who: str) -> None:
        """Count one request of `who`. Raises ApiError `code` when it is one too many."""
        if time.monotonic() < self._shared_rests_until:
            return self._hit_in(self._own, code, limit, who)
        try:
            return self._hit_in(self._shared, code, limit, who)
        except StorageError as error:
            current_app.logger.warning("Rate limits are counted per process for now: %s", error)
            self._shared_rests_until = time.monotonic() + _REST_S
            return self._hit_in(self._own, code, limit, who)

    @staticmethod
    def _hit_in(counters: RateLimiter, code: str, limit: RateLimitItem, who: str) -> None:
        if not counters.hit(limit, code, who):
            reset_at = counters.get_window_stats(limit, code, who).reset_time
            raise ApiError(code, retry_after=timedelta(seconds=reset_at - time.time()))


def _share_over(storage_uri: str) -> RateLimiter:
    options: dict[str, object] = {
        "wrap_exceptions": True,
        "socket_timeout": _REDIS_TIMEOUT_S,
        "socket_connect_timeout": _REDIS_TIMEOUT_S,
    }
    limiter = Limiter(
        key_func=client_network,
        # Not the served app: there it would look for decorators at every request, and that
        # costs more than both limits together.
        app=Flask("limits"),
        storage_uri=storage_uri,
        storage_options=options,  # type: ignore[arg-type]
        strategy="fixed-window",
    )
    return limiter.limiter


def init_limits(app: Flask, settings: Settings) -> None:
    app.extensions[_EXTENSION] = Limits(settings)
    app.before_request(check_ip)


def check_ip() -> None:
    """Limit each client before anything else is looked at, unknown paths included."""
    if request.method != "OPTIONS" and f"{request.path}/".startswith(("/api/", "/embed/")):
        _hit("rate_limit_ip", runtime().settings.limit_per_ip, client_network())


def check_key(key_id: str) -> None:
    _hit("rate_limit_key", runtime().settings.limit_per_key, key_id)


def check_session_nonces() -> None:
    """Limit a session's nonces; without a session there is nothing to count (spec 4.2)."""
    session_id = find_session_id()
    if session_id is not None:
        _hit("rate_limit_session", runtime().settings.limit_session_nonces, f"nonce {session_id}")


def check_session_submissions() -> None:
    session_id = find_session_id()
    if session_id is not None:
        limit = runtime().settings.limit_session_submissions
        _hit("rate_limit_session", limit, f"submission {session_id}")


def check_sign_in(who: str, limit: RateLimitItem) -> None:
    """Limit attempts at passwords. Raises ApiError `rate_limit_session`."""
    _hit("rate_limit_session", limit, f"sign-in {who}")


def _hit(code: str, limit: RateLimitItem, who: str) -> None:
    cast(Limits, current_app.extensions[_EXTENSION]).hit(code, limit, who)


def client_network() -> str:
    """Return what stands for one client: an IPv4 address, or an IPv6 network of 64 bits."""
    address = request.remote_addr or ""
    if address.count(":") == 1:  # some proxies write the port, too
        address = address.partition(":")[0]
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:  # a unix socket, or whatever a trusted proxy wrote
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return address
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(ip), 64), strict=False).network_address)
