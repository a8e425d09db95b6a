"""gunicorn's worker: a loop receives whole requests and sends answers, and threads run the app.

So no thread waits for a client. It is gunicorn's `gthread` with another loop: pool, parser and the
handling of a request are gunicorn's, but there the threads also read and write the sockets.
"""

import resource
import selectors
import socket
import sys
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from gunicorn.http import errors
from gunicorn.workers.gthread import ThreadWorker

from embed.logs.context import REQUEST_ID_HEADER, begin_request, end_request, make_request_id
from embed.server.connection import STEP_BYTES, BodyTooLarge, Connection
from embed.server.processes import REPLACED_AFTER

Step = Callable[[Connection], None]

MOST_LARGE = 16  # bodies in temporary files, each of 18 MiB at most
_OTHER_FILES = 120  # that a process opens beside its connections: these, databases, logs
_MOST_IN_SYSTEM = 256 * 1024  # of an answer: to copy 4 MB, as Linux would, takes its time
_ACCEPTED_AT_ONCE = 50
_TICK_S = 1.0
_KEPT_AT_END_S = 2.0  # a client may be sending a request on a connection that was kept
# Others are 400; InvalidResponseHeader is about what the app wanted to send.
_STATUS_BY_ERROR = {
    BodyTooLarge: 413,
    errors.ExpectationFailed: 417,
    errors.ForbiddenProxyRequest: 403,
    errors.InvalidResponseHeader: 500,
    errors.InvalidResponseHeaderName: 500,
    errors.LimitRequestHeaders: 431,
    errors.LimitRequestLine: 414,
    errors.UnsupportedTransferCoding: 501,
}
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class BufferingWorker(ThreadWorker):
    """The loop runs in the main thread; other threads only run `handle`."""

    patience_s = 10.0  # how long a client may take to send a request, to read an answer, to hang up

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections: set[Connection] = set()
        self._next_tick_at = 0.0
        if self.cfg.workers == 1 and self.cfg.max_requests == REPLACED_AFTER:
            self.max_requests = sys.maxsize  # nobody would serve until another has begun

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Exit with a sentence if the worker cannot work with these options."""
        if cfg.is_ssl:
            sys.exit("Error: TLS needs a proxy in front, or --worker-class gthread.")
        needed = cfg.worker_connections + _OTHER_FILES
        allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if needed <= allowed or allowed == resource.RLIM_INFINITY:
            return
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, most))
        except ValueError:
            sys.exit(
                f"Error: {cfg.worker_connections} connections need {needed} open files, and the"
                f" system allows {most} (ulimit -Hn). Set fewer: --worker-connections."
            )

    # The loop

    def init_process(self) -> None:
        # A database that hangs occupies the pools, and for a while the thread of /readyz. What
        # owners ask for and locks for writing may take seconds, for which no reader waits.
        self._pools = {path: ThreadPoolExecutor(1) for path in ("/healthz", "/readyz")} | {
            kind: self.get_thread_pool() for kind in ("dashboard", "POST")
        }
        super().init_process()  # which calls run

    def run(self) -> None:
        """Serve until the process is to end; then finish what has begun."""
        from_threads = partial(self.method_queue.run_callbacks, None)
        self.poller.register(self.method_queue.fileno(), _READ, from_threads)
        for listener in self.sockets:
            listener.setblocking(False)
            with suppress(OSError):  # a unix socket
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _MOST_IN_SYSTEM)
            self.poller.register(listener, _READ, partial(self.accept, listener))
        while self.alive:
            self._turn()
        ends_at = time.monotonic() + self.cfg.graceful_timeout
        self._stop_listening()
        while self._connections and time.monotonic() < ends_at:
            self._turn()

    def _turn(self) -> None:
        ready = self.poller.select(_TICK_S)
        # Newcomers last: they may take the place of someone whose request has just arrived.
        for key, _ in sorted(ready, key=lambda one: one[0].fileobj in self.sockets):
            key.data()
        now = time.monotonic()
        if now >= self._next_tick_at:
            self._next_tick_at = now + _TICK_S
            self.notify()
            if not self.is_parent_alive():
                self.alive = False
            for conn in [one for one in self._connections if not one.task and one.deadline < now]:
                self._end(conn, 408)

    def _stop_listening(self) -> None:
        """Accept those who wait already, and keep idle connections only for a moment."""
        for listener in self.sockets:
            self.poller.unregister(listener)
            self.accept(listener, self.cfg.backlog)
            listener.close()
        self.sockets.clear()
        for conn in self._connections:
            if conn.is_idle:
                conn.deadline = min(conn.deadline, time.monotonic() + _KEPT_AT_END_S)

    # Connections

    def accept(self, listener: Any, most: int = _ACCEPTED_AT_ONCE) -> None:
        try:
            for _ in range(most):
                accepted, client = listener.accept()
                self._make_room(self._connections, self.worker_connections)
                conn = Connection(accepted, client, listener.getsockname())
                conn.set_deadline(self.patience_s)
                self._connections.add(conn)
                self._wait(_READ, self._receive, conn)
                self._take(self._receive, conn)  # at once, before others take its place
        except (BlockingIOError, ConnectionAbortedError):
            pass  # there are no more, or one has gone
        except OSError as error:  # as when all files are open
            self.log.warning("New connections have to wait: %s.", error.strerror)
            time.sleep(0.1)

    def _make_room(self, conns: Collection[Connection], most: int) -> None:
        """If there are so many already, end the one whose time is up first.

        Requests that wait for a thread come last, and what a thread handles is not ended.
        """
        if len(conns) < most:
            return
        free = [one for one in conns if one.task is None or not one.task.running()]
        conn = min(free, key=lambda one: (one.task is not None, one.deadline), default=None)
        if conn is not None and (conn.task is None or conn.task.cancel()):
            self._end(conn, 503)

    def _end(self, conn: Connection, status: int) -> None:
        """Close a connection, and say why if a request is on its way."""
        if conn.step in (None, self._receive) and not conn.is_idle:
            _write_refusal(conn, status)
            with suppress(OSError):
                conn.flush()
        self._close(conn)

    def _close(self, conn: Connection) -> None:
        if conn in self._connections:
            self._connections.remove(conn)
            self._stop_waiting(conn)
            conn.close()

    def _wait(self, events: int, step: Step, conn: Connection) -> None:
        """Take a step with a connection whenever its client is ready."""
        if conn.step != step:
            change = self.poller.modify if conn.step else self.poller.register
            change(conn.socket, events, partial(self._take, step, conn))
            conn.step = step

    def _stop_waiting(self, conn: Connection) -> None:
        if conn.step:
            self.poller.unregister(conn.socket)
            conn.step = None

    def _take(self, step: Step, conn: Connection) -> None:
        try:
            step(conn)
        except BlockingIOError:
            pass  # the client only seemed to be ready
        except OSError:
            self._close(conn)

    # From a request to its answer

    def _receive(self, conn: Connection) -> None:
        if conn.task:  # it is seldom that a client sends more before it has the answer
            self._stop_waiting(conn)
            return
        if conn.is_idle:
            conn.set_deadline(self.patience_s)
        self._look_for_request(conn, is_open=conn.receive())

    def _look_for_request(self, conn: Connection, *, is_open: bool = True) -> None:
        try:
            if conn.request is None and conn.find_head(self.cfg):
                self._begin_body(conn)
            if conn.request is not None:
                conn.take_body()
        except OSError:
            raise
        except Exception as error:  # whatever a client's bytes raise, others are served
            self._refuse(conn, error)
            self._send(conn)
            return
        if conn.is_whole or (conn.request and not is_open):
            self._hand_over(conn)
        elif is_open:
            self._wait(_READ, self._receive, conn)
        else:
            self._close(conn)

    def _begin_body(self, conn: Connection) -> None:
        if conn.is_large:
            others = [one for one in self._connections if one.is_large and one != conn]
            self._make_room(others, MOST_LARGE)
        if conn.request._expected_100_continue and not conn.received:
            conn.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            conn.flush()

    def _hand_over(self, conn: Connection) -> None:
        """Let a thread handle a request."""
        if not conn.is_whole:  # as the client has ended the connection
            conn.request.force_close()
        conn.body.seek(0)
        path = unquote(conn.request.path)
        kind = "dashboard" if path.startswith("/dashboard/") else conn.request.method
        pool = self._pools.get(path) or self._pools.get(kind, self.tpool)
        conn.task = pool.submit(self.handle, conn)  # type: ignore[union-attr]

    def handle(self, conn: Connection) -> None:
        """Answer a request in a thread; then the loop goes on with the connection."""
        try:
            conn.is_kept = self.handle_request(conn.request, conn)
            conn.flush()
        except BaseException as error:
            conn.is_kept = False
            if not conn.sock.pieces:
                self._refuse(conn, error)
            elif not isinstance(
                error, (StopIteration, ConnectionError)
            ):  # gunicorn's; the client's
                self.log.exception("An answer was not finished.")
        self.method_queue.defer(self._take, self._finish, conn)

    def _refuse(self, conn: Connection, error: BaseException) -> None:
        """Refuse what is not valid HTTP, and answer 500 for what fails outside the app.

        gunicorn's own sentences quote the request and the client's address.
        """
        conn.is_kept = False
        is_clients = isinstance(error, errors.ParseException)
        status = _STATUS_BY_ERROR.get(type(error), 400) if is_clients else 500
        begin_request(_write_refusal(conn, status))
        if is_clients:
            self.log.warning("Refused what is not valid HTTP: %s.", type(error).__name__)
        else:
            self.log.exception("A request failed outside the app.")
        end_request()

    def _finish(self, conn: Connection) -> None:
        conn.task = None
        conn.set_deadline(self.patience_s)
        self._send(conn)

    def _send(self, conn: Connection) -> None:
        """Send the rest of an answer; then wait for the next request, or hang up."""
        if not conn.flush():
            self._wait(_WRITE, self._send, conn)
        elif conn.is_kept:
            conn.begin_request()
            conn.set_deadline(self.patience_s if conn.received else self.cfg.keepalive)
            self._look_for_request(conn)
        else:
            self._hang_up(conn)

    def _hang_up(self, conn: Connection) -> None:
        """End the answer; a client that is cut off while it still sends may not get to read it."""
        conn.socket.shutdown(socket.SHUT_WR)
        conn.begin_request()
        conn.received.clear()
        conn.set_deadline(self.patience_s if self.alive else _KEPT_AT_END_S)
        self._wait(_READ, self._discard, conn)

    def _discard(self, conn: Connection) -> None:
        if not conn.socket.recv(STEP_BYTES):
            self._close(conn)


def _write_refusal(conn: Connection, status: int) -> str:
    """Say nothing but the status, and return the request's id."""
    request_id = make_request_id()
    title = f"{status} {HTTPStatus(status).phrase}"
    retry = "Retry-After: 5\r\n" if status == HTTPStatus.SERVICE_UNAVAILABLE else ""
    answer = (
        f"HTTP/1.1 {title}\r\nConnection: close\r\nContent-Type: text/plain\r\n"
        f"X-Content-Type-Options: nosniff\r\nContent-Length: {len(title) + 1}\r\n{retry}"
        f"{REQUEST_ID_HEADER}: {request_id}\r\n\r\n{title}\n"
    )
    conn.sock.sendall(answer.encode("ascii"))
    return request_id
