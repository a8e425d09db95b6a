"""Where counts are kept, as RATELIMIT_STORAGE_URI names it."""

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
    """Return the address of the storage that keeps what the setting asks for."""
    return ExactMemoryStorage.URI if uri.startswith("memory:") else uri


def check_storage(uri: str) -> None:
    """Ask the storage something; one that is away will do, since it may come back.

    Raises SettingsError for an address that no storage can be reached at, ever.
    """
    with translate_storage_errors():
        storage = cast(Storage, storage_from_string(choose_storage(uri), **STORAGE_OPTIONS))
        with suppress(StorageError):
            storage.get("any")


@contextmanager
def translate_storage_errors() -> Iterator[None]:
    """Turn what makes a storage impossible into a SettingsError."""
    try:
        yield
    except Exception as error:  # each client has errors of its own, and takes options by name
        reason = " ".join(str(error).split())
        raise SettingsError(f"RATELIMIT_STORAGE_URI cannot be used: {reason}") from None
