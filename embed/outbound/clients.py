"""Clients whose connections stay open between calls, for threads that ask one server."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from embed.domain.times import Seconds
from embed.outbound.guard import Reach
from embed.outbound.http import Client

MOST_IDLE = 4
# Shorter than the time after which servers close idle connections, and routers forget them
# without telling either side.
LONGEST_IDLE_S = 30.0


class Clients:
    """Lends clients, the one that was used last first; threads may share it."""

    def __init__(self, reach: Reach, monotonic: Callable[[], Seconds]) -> None:
        self._reach = reach
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._idle: deque[tuple[Client, Seconds]] = deque()  # with the time since when
        self._is_closed = False

    @contextmanager
    def borrow(self) -> Iterator[Client]:
        client = self._take()
        try:
            yield client
        finally:
            self._give_back(client)

    def close(self) -> None:
        """Close those that are idle, and each other one when it is given back."""
        with self._lock:
            self._is_closed = True
            self._shrink(0)

    def _take(self) -> Client:
        with self._lock:
            self._shrink(MOST_IDLE)
            return self._idle.pop()[0] if self._idle else Client(self._reach)

    def _give_back(self, client: Client) -> None:
        with self._lock:
            self._idle.append((client, self._monotonic()))
            self._shrink(0 if self._is_closed else MOST_IDLE)

    def _shrink(self, most: int) -> None:
        """Close all above so many, and those that were idle for too long."""
        since = self._monotonic() - LONGEST_IDLE_S
        while self._idle and (len(self._idle) > most or self._idle[0][1] <= since):
            self._idle.popleft()[0].close()
