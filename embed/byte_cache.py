"""A cache that is bounded by the size of what it holds."""

import threading
from collections import OrderedDict
from collections.abc import Sized
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value", bound=Sized)


ENTRY_BYTES = 300  # roughly what a key and its place take beside the value


class ByteCache(Generic[Key, Value]):
    """Keeps the values that were used last, with at most `max_bytes`.

    A value counts its ``len()`` and ENTRY_BYTES. The newest value is kept even if it is larger.
    May be used by several threads.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def set(self, key: Key, value: Value) -> None:
        with self._lock:
            previous = self._values.pop(key, None)
            self._bytes += _size(value) - (0 if previous is None else _size(previous))
            self._values[key] = value
            while self._bytes > self._max_bytes and len(self._values) > 1:
                self._bytes -= _size(self._values.popitem(last=False)[1])

    @property
    def size_bytes(self) -> int:
        return self._bytes


def _size(value: Sized) -> int:
    return len(value) + ENTRY_BYTES
