"""The rate limit counters of one process."""

import threading
import time
from collections.abc import Hashable
from typing import NamedTuple

SWEEP_EVERY_S = 60.0


class Window(NamedTuple):
    hits: int
    ends_at: float  # seconds since 1970


class Windows:
    """Counts exactly, under one lock, and deletes expired counters once a minute.

    The MemoryStorage of limits loses counts when threads start a window at the same time: with
    limits 5.8, up to 344 of 400 that eight threads counted. And under load it starts a thread every
    10 ms to delete expired counters, which costs a tenth of the tracking read.
    """

    def __init__(self) -> None:
        self._windows: dict[Hashable, Window] = {}
        self._lock = threading.Lock()
        self._sweep_at = time.time() + SWEEP_EVERY_S

    def add(self, key: Hashable, length_s: float, hits: int = 1) -> Window:
        """Add hits to the current window, or begin one, and return it."""
        now = time.time()
        with self._lock:
            if now >= self._sweep_at:
                self._windows = {
                    each: window for each, window in self._windows.items() if window.ends_at > now
                }
                self._sweep_at = now + SWEEP_EVERY_S
            counted, ends_at = self._windows.get(key, (0, 0.0))
            if ends_at <= now:
                counted, ends_at = 0, now + length_s
            window = self._windows[key] = Window(counted + hits, ends_at)
            return window

    def find(self, key: Hashable) -> Window | None:
        """Return the current window, or None if nothing was counted in it."""
        window = self._windows.get(key)
        return None if window is None or window.ends_at <= time.time() else window
