"""The connections that wait for their client in the worker's loop."""

import time
from collections.abc import Callable, Collection, Iterator
from functools import partial
from selectors import BaseSelector
from typing import Any, NamedTuple

from gunicorn.workers.gthread import TConn

_SWEEP_INTERVAL_S = 0.5

Step = Callable[[TConn], None]


class _Wait(NamedTuple):
    when_ready: Step
    at_deadline: Step


class WaitingConnections:
    """Takes a step with a connection when its client is ready, or another one at its deadline."""

    def __init__(self, poller: BaseSelector, close: Step) -> None:
        self._poller = poller
        self._close = close
        self._waits: dict[TConn, _Wait] = {}
        self._next_sweep_at = 0.0

    def add(self, conn: TConn, event: int, when_ready: Step, at_deadline: Step) -> None:
        """Wait for an event of ``selectors``; a connection that waits already goes on waiting."""
        if conn not in self._waits:
            wait = _Wait(when_ready, at_deadline)
            self._poller.register(conn.sock, event, partial(self._when_ready, wait, conn))
            self._waits[conn] = wait

    def remove(self, conn: TConn) -> None:
        """Stop waiting; does nothing if the connection does not wait."""
        if self._waits.pop(conn, None):
            self._poller.unregister(conn.sock)

    def __contains__(self, conn: TConn) -> bool:
        return conn in self._waits

    def __iter__(self) -> Iterator[TConn]:
        """Begin with the one that has waited longest."""
        return iter(self._waits)

    def look(self, conn: TConn) -> None:
        """Take the next step of a connection that waits, in case its client is ready."""
        self.take(self._waits[conn].when_ready, conn)

    def take(self, step: Step, conn: TConn) -> None:
        """Take a step, and close the connection if its client has broken it off."""
        try:
            step(conn)
        except OSError:
            self._close(conn)

    def end_overdue(self, ends_early: Callable[[TConn, Step], bool]) -> None:
        """Take the steps of connections whose deadline has passed; looks twice a second."""
        now = time.monotonic()
        if now < self._next_sweep_at:
            return
        self._next_sweep_at = now + _SWEEP_INTERVAL_S
        for conn, wait in list(self._waits.items()):
            if conn.sock.deadline < now or ends_early(conn, wait.at_deadline):
                self.take(wait.at_deadline, conn)

    def find_one_too_many(
        self,
        newcomer: TConn,
        in_threads: Collection[TConn],
        count_bytes: Callable[[TConn], int],
        *,
        small_bytes: int,
        most_bytes: int,
    ) -> TConn | None:
        """Return the connection with the least progress, if all take more than `most_bytes`.

        Those that take at most `small_bytes` do not count. Those in threads do, but are never
        returned; the `newcomer` may be, which takes more than `small_bytes`.
        """
        sizes = {conn: count_bytes(conn) for conn in (newcomer, *self._waits, *in_threads)}
        large = [conn for conn, size in sizes.items() if size > small_bytes]
        if sum(sizes[conn] for conn in large) <= most_bytes:
            return None
        return min(
            (conn for conn in large if conn not in in_threads),
            key=lambda conn: float(conn.sock.deadline),
        )

    def _when_ready(self, wait: _Wait, conn: TConn, _sock: Any) -> None:
        """Take the step, unless that of another connection has just ended this wait."""
        if self._waits.get(conn) is wait:
            self.take(wait.when_ready, conn)
