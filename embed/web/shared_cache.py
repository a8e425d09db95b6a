"""A cache that the threads of a process share."""

from contextlib import suppress
from threading import Lock
from typing import Generic, TypeVar

from cachetools import Cache

Key = TypeVar("Key")
Value = TypeVar("Value")


class SharedCache(Generic[Key, Value]):
    """One of cachetools' caches, which need a lock even to be read."""

    def __init__(self, cache: Cache[Key, Value]) -> None:
        self._cache = cache
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._cache)

    def get(self, key: Key) -> Value | None:
        with self._lock:
            return self._cache.get(key)

    def set(self, key: Key, value: Value) -> None:
        """Keep a value, unless it's larger than the cache."""
        with self._lock, suppress(ValueError):
            self._cache[key] = value
