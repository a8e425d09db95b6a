"""The open connections of a process, and what each of them waits for."""

import os
import selectors
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from embed.server.connection import Connection, Step

_SWEEP_INTERVAL_S = 0.5
_LONGEST_SLEEP_S = 1.0


class Connections:
    """Takes a step with a connection when its client is ready, or another one at its deadline.

    A client that seemed to be ready may not be so any more, and a step has to cope with that.
    """

    def __init__(self, on_close: Step) -> None:
        self.poller = selectors.DefaultSelector()
        self._on_close = on_close
        self._all: dict[Connection, None] = {}
        self._next_sweep_at = 0.0
        self._woken, self._wakes = os.pipe()
        os.set_blocking(self._wakes, False)
        self.poller.register(self._woken, selectors.EVENT_READ, partial(os.read, self._woken, 4096))

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Connection]:
        """Begin with the one that has been open for longest."""
        return iter(self._all)

    def add(self, conn: Connection) -> None:
        self._all[conn] = None

    def close(self, conn: Connection) -> None:
        """Close a connection; does nothing if it is closed."""
        if conn in self._all:
            del self._all[conn]
            self._watch(conn, 0)
            conn.step = None
            conn.close()
            self._on_close(conn)

    def wait(
        self, conn: Connection, events: int, step: Step, at_deadline: Step | None = None
    ) -> None:
        """Wait for events of ``selectors``; by default, a connection is closed at its deadline."""
        conn.step, conn.at_deadline = step, at_deadline or self.close
        self._watch(conn, events)

    def look(self, conn: Connection) -> None:
        """Take the next step of a connection, if it waits for its client."""
        if conn.step is not None:
            self.take(conn.step, conn)
        else:  # what the client sends while its request is handled has to wait
            self._watch(conn, 0)

    def take(self, step: Step, conn: Connection) -> None:
        """Take a step, and close the connection if its client has broken it off."""
        try:
            step(conn)
        except OSError:
            self.close(conn)

    def poll(self, *, may_sleep: bool) -> float:
        """Take the next steps of connections whose clients are ready, once there are any.

        Returns how many seconds they took.
        """
        ready = self.poller.select(_LONGEST_SLEEP_S if may_sleep else 0)
        began_at = time.monotonic()
        for key, _ in ready:
            key.data()
        return time.monotonic() - began_at

    def wake(self) -> None:
        """Let `poll` return. Any thread may call this, and so may handlers of signals."""
        with suppress(BlockingIOError):  # the pipe is full of earlier calls
            os.write(self._wakes, b"\0")

    def end_overdue(self, ends_early: Callable[[Connection], bool]) -> None:
        """Take the steps of connections whose deadline has passed; looks twice a second."""
        now = time.monotonic()
        if now < self._next_sweep_at:
            return
        self._next_sweep_at = now + _SWEEP_INTERVAL_S
        for conn in list(self._all):
            is_due = conn.deadline < now or ends_early(conn)
            if is_due and conn.step is not None and conn.at_deadline is not None:
                self.take(conn.at_deadline, conn)

    def _watch(self, conn: Connection, events: int) -> None:
        if events == conn.events:
            return
        if conn.events:
            self.poller.unregister(conn.socket)
            conn.events = 0
        if events:
            self.poller.register(conn.socket, events, partial(self.look, conn))
            conn.events = events
