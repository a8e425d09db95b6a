"""Where rate limit counters are stored: RATELIMIT_STORAGE_URI."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import cast

from limits.errors import StorageError
from limits.storage import Storage, storage_from_string

from embed.rate_limits.memory_storage import ExactMemoryStorage
from embed.settings import SettingsError

_REDIS_TIMEOUT_S = 0.5

STORAGE_OPTIONS: dict[str, float | str | bool] = {
    "wrap_exceptions": True,
    "socket_timeout": _REDIS_TIMEOUT_S,
    "socket_connect_timeout": _REDIS_TIMEOUT_S,
}


def choose_storage(uri: str) -> str:
    """Return the address of the storage for the setting."""
    return ExactMemoryStorage.URI if uri.startswith("memory:") else uri


def check_storage(uri: str) -> None:
    """Raises SettingsError for an address that can never work.

    A storage that is only unreachable passes, since it may come back.
    """
    with translate_storage_errors(), suppress(StorageError):
        open_storage(uri).get("any")


def open_storage(uri: str) -> Storage:
    """Return the storage for the setting, which may be unreachable."""
    return cast(Storage, storage_from_string(choose_storage(uri), **STORAGE_OPTIONS))


@contextmanager
def translate_storage_errors() -> Iterator[None]:
    """Raise SettingsError in place of any error in setting up a storage."""
    try:
        yield
    except Exception as error:  # each client library raises its own errors
        reason = " ".join(str(error).split())
        raise SettingsError(f"RATELIMIT_STORAGE_URI cannot be used: {reason}") from None
