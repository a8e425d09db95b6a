"""The storage of rate limit counters that RATELIMIT_STORAGE_URI names."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import cast

from limits.errors import StorageError
from limits.storage import Storage, storage_from_string

from embed.settings.values import SettingsError

_REDIS_TIMEOUT_S = 0.5
STORAGE_OPTIONS: dict[str, float | str | bool] = {
    "wrap_exceptions": True,
    "socket_timeout": _REDIS_TIMEOUT_S,
    "socket_connect_timeout": _REDIS_TIMEOUT_S,
}


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
