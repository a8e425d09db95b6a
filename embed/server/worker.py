"""gunicorn's threaded worker, with threads that never wait for a client."""

import math
import re
import selectors
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from operator import attrgetter
from typing import Any

from gunicorn.http.errors import ParseException
from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn, ThreadWorker

from embed.logs.context import begin_request, end_request
from embed.server.client_socket import ClientSocket
from embed.server.framing import IsSignedIn
from embed.server.open_files import allow_open_files
from embed.server.places import Places
from embed.server.processes import REPLACED_AFTER
from embed.server.refusals import find_status, write_refusal
from embed.server.waiting import Step, WaitingConnections

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_EXTRA_CONNECTIONS = 20  # beyond the places: new health checks, and what is being ended
_EXTRA_CHECKS = 10  # of them, so that others are accepted and looked at
_ACCEPTED_AT_ONCE = 50
_ACCEPTS_AGAIN_AFTER_S = 1.0  # an error of the system, as when all files are open
_OTHER_FILES = 100  # that a process opens beside its connections, databases included
_HEALTH_CHECK = re.compile(rb"[\r\n]*(?:GET|HEAD) /(healthz|readyz)[ ?]")

_count_received = attrgetter("sock.received_bytes")
_count_unsent = attrgetter("sock.unsent_bytes")


class BufferingWorker(ThreadWorker):
    """Lets its loop receive whole requests, and send what clients are slow to read.

    In gunicorn's own worker the threads do both without a time limit, so that a few stalled
    clients occupy all of them. Here a stalled client costs a file descriptor and what it sent.
    Each health check has a thread of its own, as a database that hangs occupies the others, and
    that of /readyz for a while. It needs no place among the connections.
    """

    # A client may do nothing for so long while it sends a request, reads an answer or hangs up.
    # One that is slower than this rate gets no more time: 4 MiB may take 138 s.
    patience_s = 10.0
    bytes_per_s = 32 * 1024
    # What each connection may keep in memory, and what all that keep more may keep together: of
    # requests, and as much again of answers.
    small_bytes = 64 * 1024
    large_bytes_in_all = 64 * 1024 * 1024

    sockets: list[Any]  # that it listens on

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waiting: WaitingConnections
        self._accepted_count = 0
        self._accepts_again_at = 0.0
        self._submitted: dict[TConn, Future[bool]] = {}  # what threads have, or are to have
        self._places = Places(self.worker_connections)
        self.worker_connections += _EXTRA_CONNECTIONS
        self._health_threads: dict[bytes, ThreadPoolExecutor]
        self._is_told_to_stop = False
        self._requests_end_at = math.inf
        # Any cookie will do, unless gunicorn.conf.py knows the app.
        self.is_signed_in: IsSignedIn = bool
        if self.cfg.workers == 1 and self.cfg.max_requests == REPLACED_AFTER:
            self.max_requests = sys.maxsize  # nobody would serve until another has begun

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Exit with a sentence if the worker cannot work with these options."""
        if cfg.is_ssl:
            sys.exit("Error: TLS needs a proxy in front, or --worker-class gthread.")
        needed = cfg.worker_connections + _EXTRA_CONNECTIONS + _OTHER_FILES
        allowed = allow_open_files(needed)
        if allowed < needed:
            sys.exit(
                f"Error: {cfg.worker_connections} connections need {needed} open files, and the"
                f" system allows {allowed} (ulimit -Hn). Set fewer: --worker-connections."
            )
        super().check_config(cfg, log)

    def run(self) -> None:
        self._waiting = WaitingConnections(self.poller, self._close)
        self._health_threads = {
            name: ThreadPoolExecutor(1, name.decode()) for name in (b"healthz", b"readyz")
        }
        super().run()
        for pool in self._health_threads.values():
            pool.shutdown(wait=False)

    def set_accept_enabled(self, enabled: bool) -> None:
        """Also stop listening when the process ends, so that no client waits for it in vain."""
        super().set_accept_enabled(enabled and time.monotonic() >= self._accepts_again_at)
        if not enabled and not self.alive:
            for listener in self.sockets:
                if self._is_told_to_stop:  # else others accept those who wait
                    self._accept(self.cfg.backlog, listener)
                listener.close()
            self.sockets = []

    def accept(self, listener: Any) -> None:
        """Accept many at once, as a turn of the loop may take long when there are many."""
        self._accept(_ACCEPTED_AT_ONCE, listener)

    def _accept(self, most: int, listener: Any) -> None:
        try:
            for _ in range(most):
                count = self._accepted_count
                if self.nr_conns < self.worker_connections:
                    super().accept(listener)
                    self._end_extra_connections()
                if self._accepted_count == count:
                    break
        except OSError as error:
            self.log.warning("New connections have to wait: %s.", error.strerror)
            self._accepts_again_at = time.monotonic() + _ACCEPTS_AGAIN_AFTER_S
            if self.alive:
                self.set_accept_enabled(False)

    # Give connections a place

    def _begin(self, conn: TConn) -> None:
        """Prepare a new connection."""
        limits = (self.patience_s, self.bytes_per_s)
        conn.sock = ClientSocket(conn.sock, *limits, self.is_signed_in)
        conn.init()
        self._accepted_count += 1
        self._take_place(conn)

    def _end_extra_connections(self) -> None:
        """Close those without a place that have waited longest, so that others are accepted.

        A request that has just arrived gets its answer.
        """
        if self.nr_conns < self.worker_connections:
            return
        extra = [conn for conn in self._waiting if conn not in self._places]
        for conn in extra[: self.nr_conns - self.worker_connections + 1]:
            if conn in self._waiting:
                self._waiting.look(conn)
            if conn in self._waiting and conn not in self._places:
                self._close(conn)

    def _take_place(self, conn: TConn) -> bool:
        """Return whether a connection has a place, which another one may leave to it."""
        while not self._places.take(conn):
            other = self._places.find_one_to_end(conn, self._submitted)
            if other is None:
                return False
            self._end(other)
        return True

    def _end(self, conn: TConn) -> None:
        """End a connection without a request, or refuse its request; it leaves its place.

        It stays if it was idle and a request has just arrived, or if a thread has just begun.
        """
        handled = self._submitted.get(conn)
        if handled:
            if handled.cancel():  # finish_request hangs up
                write_refusal(conn.sock, 503)
            if handled.done():
                self._places.leave(conn)
        elif conn.sock.unsent_bytes:
            self._close(conn)
        elif conn.sock.received:
            self._places.leave(conn)
            self._waiting.take(partial(self._refuse, 503), conn)
        else:
            self._waiting.look(conn)
            if conn in self._waiting and not conn.sock.received:
                self._close(conn)

    # Receive a request

    def enqueue_req(self, conn: TConn) -> None:
        """Receive the next request of a new or kept-alive connection, then pass it on."""
        if not conn.initialized:
            self._begin(conn)
        self._waiting.remove(conn)
        client = conn.sock
        client.begin_request(conn.parser.unreader.take_buffered())
        step = self._pass_on if client.has_request else self._receive
        self._waiting.take(step, conn)

    def _receive(self, conn: TConn) -> None:
        client = conn.sock
        is_open = client.receive()
        self._places.mark(conn, is_idle=not client.received)
        if not is_open and not client.received:
            self._close(conn)
        elif not self._limit_memory(conn, _count_received, partial(self._refuse, 503)):
            return
        elif not is_open or client.has_request:
            self._pass_on(conn)
        else:
            if client.framing.awaits_continue:
                client.framing.awaits_continue = False
                client.sendall(_CONTINUE)
            self._waiting.add(conn, selectors.EVENT_READ, self._receive, self._end_request)

    def _pass_on(self, conn: TConn) -> None:
        check = _HEALTH_CHECK.match(conn.sock.received)
        if conn.sock.framing.has_long_head:
            self._refuse(431, conn)
        elif not self._take_place(conn) and not (check and self._has_room_for_a_check()):
            self._refuse(503, conn)
        else:
            self._waiting.remove(conn)
            pool = self._health_threads[bytes(check[1])] if check else self.tpool
            handled: Future[bool] = pool.submit(self.handle, conn)
            self._submitted[conn] = handled
            handled.add_done_callback(partial(self.method_queue.defer, self.finish_request, conn))

    def _has_room_for_a_check(self) -> bool:
        extra = [conn for conn in self._submitted if conn not in self._places]
        return len(extra) < _EXTRA_CHECKS

    def _end_request(self, conn: TConn) -> None:
        if conn.sock.received:
            write_refusal(conn.sock, 408)
        self._close(conn)

    def _refuse(self, status: int, conn: TConn) -> None:
        self._waiting.remove(conn)
        conn.sock.forget_request()
        write_refusal(conn.sock, status)
        conn.sock.restart_deadline()
        self._send(self._hang_up, conn)

    # Handle it, in a thread

    def handle_request(self, req: Request, conn: TConn) -> bool:
        # The loop has said "100 Continue" if the client needs to hear it.
        req._expected_100_continue = False
        if not conn.sock.framing.is_whole or conn not in self._places:
            req.force_close()
        is_kept: bool = super().handle_request(req, conn)
        return is_kept

    def handle_error(self, req: Any, client: ClientSocket, addr: Any, exc: Exception) -> None:
        """Refuse what is not valid HTTP, and answer 500 for what failed outside the app.

        gunicorn's own sentences quote the request and the client's address.
        """
        begin_request(write_refusal(client, find_status(exc)))
        if isinstance(exc, ParseException):
            self.log.warning("Refused what is not valid HTTP: %s.", type(exc).__name__)
        else:
            self.log.error("A request failed outside the app.", exc_info=exc)
        end_request()

    def _keepalive_after(self, conn: TConn, keepalive: bool) -> bool:
        """Drop what the app did not read of the body, all of which is in memory.

        A malformed rest ends the connection; another answer would be taken for the next one.
        """
        try:
            return keepalive and conn.parser.finish_body() is True
        except ParseException:
            return False

    # Send the answer

    def finish_request(self, conn: TConn, fs: Future[bool]) -> None:
        """Send what the client did not take at once; then keep the connection or end it.

        If the parser wanted more than was received, it is unknown where the next request begins.
        """
        del self._submitted[conn]
        is_kept = not fs.cancelled() and fs.exception() is None and fs.result()
        is_kept = is_kept and not conn.sock.is_exhausted
        if not is_kept:
            conn.sock.forget_request()
        conn.sock.restart_deadline()
        next_step = self._keep if is_kept else self._hang_up
        self._waiting.take(partial(self._send, next_step), conn)

    def _send(self, next_step: Step, conn: TConn) -> None:
        if conn.sock.flush():
            self._waiting.remove(conn)
            next_step(conn)
        else:
            step = partial(self._send, next_step)
            self._waiting.add(conn, selectors.EVENT_WRITE, step, self._close)
            self._limit_memory(conn, _count_unsent, self._close)

    def _keep(self, conn: TConn) -> None:
        """Wait for another request, unless it has arrived with the one before."""
        conn.sock.begin_request(conn.parser.unreader.take_buffered())
        if conn.sock.received:
            self.enqueue_req(conn)
        else:
            self._places.mark(conn, is_idle=True)
            conn.sock.restart_deadline(self.cfg.keepalive)
            self._waiting.add(conn, selectors.EVENT_READ, self.enqueue_req, self._close)

    def _hang_up(self, conn: TConn) -> None:
        """End the answer; a client that is cut off while it still sends may not get to read it."""
        self._places.leave(conn)
        conn.sock.shutdown(socket.SHUT_WR)
        conn.sock.restart_deadline()
        self._discard(conn)

    def _discard(self, conn: TConn) -> None:
        if conn.sock.discard():
            self._waiting.add(conn, selectors.EVENT_READ, self._discard, self._close)
        else:
            self._close(conn)

    # End connections

    def _close(self, conn: TConn) -> None:
        self._waiting.remove(conn)
        self._places.leave(conn)
        self.nr_conns -= 1
        conn.close()

    def _limit_memory(self, conn: TConn, count_bytes: Callable[[TConn], int], end: Step) -> bool:
        """End the slowest connection if they take too much memory together with this one.

        Returns whether this one goes on.
        """
        if count_bytes(conn) <= self.small_bytes:
            return True
        one_too_many = self._waiting.find_one_too_many(
            conn,
            self._submitted,
            count_bytes,
            small_bytes=self.small_bytes,
            most_bytes=self.large_bytes_in_all,
        )
        if one_too_many is not None:
            self._waiting.take(end, one_too_many)
        return one_too_many is not conn

    def murder_pending(self) -> None:
        """End the connections whose deadline has passed; gunicorn calls this in its loop."""
        self._waiting.end_overdue(self._ends_early)
        self._end_extra_connections()

    def _ends_early(self, conn: TConn, at_deadline: Step) -> bool:
        """Tell whether a worker that ends waits no longer: there is no request to answer.

        One that is only replaced has the time to let a request arrive.
        """
        if time.monotonic() < self._requests_end_at:
            return False
        if at_deadline == self._end_request:
            return self._is_told_to_stop or not conn.sock.received
        return not conn.sock.unsent_bytes

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._is_told_to_stop = True
        super().handle_exit(sig, frame)

    def _cap_keepalive(self, deadline: float) -> None:
        """Let a worker that ends wait until then for requests, and longer only for answers."""
        super()._cap_keepalive(deadline)
        self._requests_end_at = deadline
