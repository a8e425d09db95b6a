"""A check of Redis, where limits are counted."""

from collections.abc import Iterator

from limits.errors import StorageError

from embed.doctor.findings import Finding
from embed.rate_limits.storages import open_storage, translate_storage_errors
from embed.settings import Settings, SettingsError

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


def _name(failure: Exception) -> str:
    """Return only the kind of error: its text may hold an address with a password."""
    cause = failure.__cause__ or (failure.args[0] if failure.args else None)
    return type(cause if isinstance(cause, Exception) else failure).__name__
