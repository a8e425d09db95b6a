"""A cache that is bounded by the size of what it holds."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value", bound=Sized)


ENTRY_BYTES = 400  # roughly what a key and its place take beside the value
MOST_IN_GROUP = 30


class ByteCache(Generic[Key, Value]):
    """Keeps the values that were used last, with at most `max_bytes`, and MOST_IN_GROUP of a group.

    A value counts its ``len()`` and ENTRY_BYTES. The newest value is kept even if it is larger.
    `group_of` tells to which group a key belongs, such as all versions of a page, of which a busy
    one would else fill the cache; by default each key is alone. May be used by several threads.
    """

    def __init__(
        self, max_bytes: int, group_of: Callable[[Key], Hashable] = lambda key: key
    ) -> None:
        self._max_bytes = max_bytes
        self._group_of = group_of
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._groups: dict[Hashable, dict[Key, None]] = {}  # in the same order
        self.size_bytes = 0
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
                group = self._groups[self._group_of(key)]
                group[key] = group.pop(key)
            return value

    def set(self, key: Key, value: Value) -> None:
        with self._lock:
            if key in self._values:
                self._remove(key)
            self._values[key] = value
            self.size_bytes += _size(value)
            group = self._groups.setdefault(self._group_of(key), {})
            group[key] = None
            if len(group) > MOST_IN_GROUP:
                self._remove(next(iter(group)))
            while self.size_bytes > self._max_bytes and len(self._values) > 1:
                self._remove(next(iter(self._values)))

    def _remove(self, key: Key) -> None:
        self.size_bytes -= _size(self._values.pop(key))
        name = self._group_of(key)
        del self._groups[name][key]
        if not self._groups[name]:
            del self._groups[name]


def _size(value: Sized) -> int:
    return len(value) + ENTRY_BYTES
