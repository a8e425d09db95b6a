"""The worker's loop: receives requests, says which is to be handled, and sends answers."""

import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from embed.server.connection import Connection, Step
from embed.server.connections import Connections
from embed.server.places import Places
from embed.server.queues import Queues
from embed.server.refusals import write_refusal

EXTRA_CONNECTIONS = 20  # beyond the places: new health checks, and what is being ended
_EXTRA_CHECKS = 10  # of them, so that others are accepted and looked at
_ACCEPTED_AT_ONCE = 50
_ACCEPTS_AGAIN_AFTER_S = 1.0  # an error of the system, as when all files are open
_KEPT_AT_END_S = 2.0  # a client may be sending a request on a connection that it keeps
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

_count_received = attrgetter("received_bytes")
_count_unsent = attrgetter("unsent_bytes")


class Loop:
    """For the one thread that runs it; any thread may call has_place, finish_later and wake."""

    def __init__(self, worker: Any) -> None:
        """Take its settings from the worker, and gunicorn's own from ``worker.cfg``."""
        self._worker = worker
        self._cfg = worker.cfg
        self._places = Places(self._cfg.worker_connections)
        self._most_connections = self._cfg.worker_connections + EXTRA_CONNECTIONS
        self._connections = Connections(on_close=self._places.leave)
        self._queues = Queues(self._cfg.threads)
        self._finished: deque[tuple[Connection, bool]] = deque()
        self._is_accepting = False
        self._accepts_again_at = 0.0
        self._receives_at = 0.0  # again: as much time goes to requests that wait to be handled
        self._requests_end_at: float | None = None  # None: as long as the process is not to end
        self._is_replaced = False

    @property
    def most_at_a_time(self) -> int:
        return self._queues.most_at_a_time

    @property
    def is_empty(self) -> bool:
        return not len(self._connections)

    def turn(self) -> Connection | None:
        """Receive and send what there is; return a connection whose request is to be handled.

        It waits a second at most for clients.
        """
        self._choose_to_accept()
        has_request = self._queues.find_ready() is not None
        if not has_request or time.monotonic() >= self._receives_at:
            took_s = self._connections.poll(may_sleep=not has_request)
            self._receives_at = time.monotonic() + took_s
        while self._finished:
            self.finish(*self._finished.popleft())
        self._connections.end_overdue(self._ends_early)
        self._end_extra_connections()
        return self._queues.begin_next()

    def has_place(self, conn: Connection) -> bool:
        return conn in self._places

    def wake(self) -> None:
        self._connections.wake()

    # Accept connections, and give them a place

    def _choose_to_accept(self) -> None:
        is_accepting = (
            self._requests_end_at is None
            and len(self._connections) < self._most_connections
            and time.monotonic() >= self._accepts_again_at
        )
        if is_accepting == self._is_accepting:
            return
        self._is_accepting = is_accepting
        for listener in self._worker.sockets:
            if is_accepting:
                step = partial(self._accept, listener, _ACCEPTED_AT_ONCE)
                self._connections.poller.register(listener, _READ, step)
            else:
                self._connections.poller.unregister(listener)

    def _accept(self, listener: Any, most: int) -> None:
        """Accept many at once, as a turn of the loop may take long when there are many."""
        try:
            for _ in range(most):
                if len(self._connections) >= self._most_connections:
                    break
                accepted, client = listener.accept()
                conn = Connection(accepted, client, listener.getsockname(), self._worker)
                self._connections.add(conn)
                self._take_place(conn)
                self._connections.take(self._begin_request, conn)
                self._end_extra_connections()
        except (BlockingIOError, ConnectionAbortedError):
            pass  # there are no more, or one has gone
        except OSError as error:
            self._worker.log.warning("New connections have to wait: %s.", error.strerror)
            self._accepts_again_at = time.monotonic() + _ACCEPTS_AGAIN_AFTER_S

    def _end_extra_connections(self) -> None:
        """Close those without a place that have been open longest, so that others are accepted.

        A request that has just arrived gets its answer.
        """
        too_many = len(self._connections) - self._most_connections + 1
        if too_many <= 0:
            return
        extra = [conn for conn in self._connections if conn.step and conn not in self._places]
        for conn in extra[:too_many]:
            self._connections.look(conn)
            if conn.step and conn not in self._places:
                self._connections.close(conn)

    def _take_place(self, conn: Connection) -> bool:
        """Return whether a connection has a place, which another one may leave to it."""
        while not self._places.take(conn):
            other = self._places.find_one_to_end(conn)
            if other is None:
                return False
            self._end(other)
        return True

    def _end(self, conn: Connection) -> None:
        """End a connection without a request, or refuse its request; it leaves its place.

        It stays if it was idle and a request has just arrived, or the rest of one.
        """
        was_idle = conn.is_idle
        if conn.queue is not None:
            conn.queue.waiting.remove(conn)
            conn.queue = None
        elif not conn.unsent_bytes:
            self._connections.look(conn)
            has_request = conn.queue is not None or (was_idle and not conn.is_idle)
            if has_request or conn not in self._places:
                return
        if conn.unsent_bytes or was_idle:
            self._connections.close(conn)
        else:
            self._places.leave(conn)
            self._connections.take(partial(self._refuse, 503), conn)

    # Receive a request

    def _begin_request(self, conn: Connection) -> None:
        """Receive the first request of a new connection, or the next one of one that is kept."""
        conn.begin_request()
        if not self._pass_on(conn):
            self._receive(conn)

    def _receive(self, conn: Connection) -> None:
        is_open = conn.receive()
        self._places.mark(conn)
        if not is_open and conn.is_idle:
            self._connections.close(conn)
        elif not self._limit_memory(conn, _count_received, partial(self._refuse, 503)):
            return
        elif not self._pass_on(conn, is_over=not is_open):
            if conn.framing and conn.framing.awaits_continue:
                conn.framing.awaits_continue = False
                conn.sendall(_CONTINUE)
                conn.flush()
            self._connections.wait(conn, _READ, self._receive, self._end_request)

    def _pass_on(self, conn: Connection, *, is_over: bool = False) -> bool:
        """Let a request wait until a thread handles it, or refuse it; return whether it is here."""
        try:
            if not conn.find_request(is_over=is_over):
                return False
        except Exception as error:  # whatever a client's bytes raise, others are served
            self._worker.refuse(conn, error)
            self._end_with_answer(conn)
            return True
        queue = self._queues.find(conn)
        if self._take_place(conn) or (queue.is_for_checks and self._has_extra_room()):
            conn.step = None
            conn.queue = queue
            queue.waiting.append(conn)
        else:
            self._refuse(503, conn)
        return True

    def _has_extra_room(self) -> bool:
        checks = self._queues.list_checks()
        return len([conn for conn in checks if conn not in self._places]) < _EXTRA_CHECKS

    def _end_request(self, conn: Connection) -> None:
        if not conn.is_idle:
            write_refusal(conn, 408)
            conn.flush()
        self._connections.close(conn)

    def _refuse(self, status: int, conn: Connection) -> None:
        write_refusal(conn, status)
        self._end_with_answer(conn)

    def _end_with_answer(self, conn: Connection) -> None:
        conn.forget_request()
        conn.restart_deadline()
        self._send(self._hang_up, conn)

    # Send an answer

    def finish(self, conn: Connection, is_kept: bool) -> None:
        """Send the answer to a request; then keep the connection, or end it.

        If the parser wanted more than was received, it is unknown where the next request begins.
        """
        conn.queue.handled.remove(conn)
        conn.queue, conn.is_handled = None, False
        if conn.is_exhausted or not is_kept:
            self._connections.take(self._end_with_answer, conn)
        else:
            conn.restart_deadline()
            self._connections.take(partial(self._send, self._keep), conn)

    def finish_later(self, conn: Connection, is_kept: bool) -> None:
        """Do so in a later turn."""
        self._finished.append((conn, is_kept))
        self.wake()

    def _send(self, next_step: Step, conn: Connection) -> None:
        if conn.flush():
            next_step(conn)
        else:
            self._connections.wait(conn, _WRITE, partial(self._send, next_step))
            self._limit_memory(conn, _count_unsent, self._connections.close)

    def _keep(self, conn: Connection) -> None:
        """Wait for another request, unless it has arrived with the one before."""
        conn.begin_request()
        if conn.received:
            self._begin_request(conn)
        else:
            self._places.mark(conn)
            conn.restart_deadline(self._cfg.keepalive)
            self._connections.wait(conn, _READ, self._begin_request)

    def _hang_up(self, conn: Connection) -> None:
        """End the answer; a client that is cut off while it still sends may not get to read it."""
        self._places.leave(conn)
        conn.socket.shutdown(socket.SHUT_WR)
        conn.restart_deadline()
        self._discard(conn)

    def _discard(self, conn: Connection) -> None:
        if conn.discard():
            self._connections.wait(conn, _READ, self._discard)
        else:
            self._connections.close(conn)

    # End connections

    def _limit_memory(
        self, conn: Connection, count_bytes: Callable[[Connection], int], end: Step
    ) -> bool:
        """End the slowest connection if all take too much memory together with this one.

        Returns whether this one goes on. Those that take little do not count. Requests that wait
        or are handled do, but are not ended.
        """
        if count_bytes(conn) <= self._worker.small_bytes:
            return True
        large = [one for one in self._connections if count_bytes(one) > self._worker.small_bytes]
        if sum(map(count_bytes, large)) <= self._worker.large_bytes_in_all:
            return True
        slowest = min((one for one in large if one.queue is None), key=attrgetter("deadline"))
        self._connections.take(end, slowest)
        return slowest is not conn

    def begin_end(self, *, is_replaced: bool) -> None:
        """Stop listening, so that no client waits in vain, and end what is idle after a while.

        A process that is only replaced leaves the clients that wait to be accepted to others, and
        has the time to let requests arrive.
        """
        self._is_replaced = is_replaced
        if self._requests_end_at is not None:
            return
        self._requests_end_at = time.monotonic() + _KEPT_AT_END_S
        self._choose_to_accept()
        for listener in self._worker.sockets:
            if not is_replaced:
                self._accept(listener, self._cfg.backlog)
            listener.close()
        self._worker.sockets.clear()

    def _ends_early(self, conn: Connection) -> bool:
        """Tell whether a process that ends waits no longer: there is no request to answer."""
        if self._requests_end_at is None or time.monotonic() < self._requests_end_at:
            return False
        if conn.at_deadline == self._end_request:
            return not self._is_replaced or conn.is_idle
        return not conn.unsent_bytes
