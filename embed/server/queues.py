"""Requests that have arrived whole, and how many of them are handled at a time."""

from collections import deque
from dataclasses import dataclass, field

from embed.server.connection import Connection


@dataclass
class Queue:
    at_a_time: int
    is_for_checks: bool = False
    waiting: deque[Connection] = field(default_factory=deque)
    handled: set[Connection] = field(default_factory=set)


class Queues:
    """Each kind of health check has a queue of its own, and the queues take turns.

    A database that hangs occupies the threads of all other requests, and for a while that of
    /readyz.
    """

    def __init__(self, at_a_time: int) -> None:
        self._checks = {name: Queue(1, is_for_checks=True) for name in ("/healthz", "/readyz")}
        self._others = Queue(at_a_time)
        self._all = [*self._checks.values(), self._others]  # the next one first
        self.most_at_a_time = sum(queue.at_a_time for queue in self._all)

    def find(self, conn: Connection) -> Queue:
        """Return where the request of a connection belongs."""
        return self._checks.get(conn.request.path, self._others)

    def find_ready(self) -> Queue | None:
        """Return a queue whose first request may be handled now."""
        for queue in self._all:
            if queue.waiting and len(queue.handled) < queue.at_a_time:
                return queue
        return None

    def list_checks(self) -> list[Connection]:
        """Return the connections with a health check that waits or is being handled."""
        return [
            conn for queue in self._checks.values() for conn in (*queue.waiting, *queue.handled)
        ]

    def begin_next(self) -> Connection | None:
        """Return a connection whose request is to be handled now."""
        queue = self.find_ready()
        if queue is None:
            return None
        self._all.remove(queue)
        self._all.append(queue)
        conn = queue.waiting.popleft()
        queue.handled.add(conn)
        conn.is_handled = True
        return conn
