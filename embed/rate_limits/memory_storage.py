"""Rate limit counters in this process's memory."""

import threading
import time

from limits.storage import MemoryStorage

SWEEP_EVERY_S = 60.0


class Counters(MemoryStorage):
    """Counts exactly, under one lock, and forgets what has expired once a minute.

    Its parent starts a thread every 10 ms under load to forget. That costs a tenth of the
    tracking read, and fails when two requests are about to start the same thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self.timer.cancel()
        self._lock = threading.Lock()
        self._sweep_at = time.monotonic() + SWEEP_EVERY_S

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Count `amount` more, and return how many there are in this window of `expiry` s."""
        with self._lock:
            if time.monotonic() >= self._sweep_at:
                self._sweep()
            count = self.get(key) + amount
            if count == amount:
                self.expirations[key] = time.time() + expiry
            self.storage[key] = count
            return count

    def _sweep(self) -> None:
        for key in list(self.expirations):
            self.get(key)  # forgets it if its window is over
        self._sweep_at = time.monotonic() + SWEEP_EVERY_S
