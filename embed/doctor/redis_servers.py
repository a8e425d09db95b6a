"""Checks of Redis: where limits are counted, and where background work queues."""

from collections.abc import Iterator

from limits.errors import StorageError
from redis import Redis, RedisError

from embed.doctor.findings import Finding
from embed.rate_limits.storages import open_storage, translate_storage_errors
from embed.settings import Settings, SettingsError

_TIMEOUT_S = 5
_PROBE_KEY = "LIMITER/flask-doctor"
_PROBE_LIFETIME_S = 1


def check_limits(settings: Settings) -> Iterator[Finding]:
    """Count once, as a Redis that only reads, or is full, answers everything else."""
    try:
        with translate_storage_errors():
            storage = open_storage(settings.ratelimit_storage_uri)
        storage.incr(_PROBE_KEY, _PROBE_LIFETIME_S)
    except (StorageError, SettingsError) as failure:
        yield Finding(
            "redis_unreachable",
            f"Limits cannot be counted at RATELIMIT_STORAGE_URI ({_name(failure)}), so each"
            " process counts for itself.",
            "Start Redis, or correct the address and password in RATELIMIT_STORAGE_URI.",
        )


def check_queue(settings: Settings) -> Iterator[Finding]:
    if settings.queue_url is None:
        return
    try:
        with Redis.from_url(
            settings.queue_url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
        ) as redis:
            redis.ping()
    except (RedisError, OSError) as failure:
        yield Finding(
            "queue_unreachable",
            f"The queue of background work at QUEUE_URL cannot be used ({_name(failure)}).",
            "Start Redis, or correct the address and password in QUEUE_URL.",
        )


def _name(failure: Exception) -> str:
    """Return only the kind of error: its text may hold an address with a password."""
    cause = failure.__cause__ or (failure.args[0] if failure.args else None)
    return type(cause if isinstance(cause, Exception) else failure).__name__
