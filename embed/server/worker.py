"""gunicorn's worker: a loop receives complete requests and sends answers; threads run the app.

So no thread waits for a client, and the loop, in the main thread, waits for no request and hears
signals. It's gunicorn's `gthread` with another loop: the pools, parser and request handling are
gunicorn's, but in `gthread`, threads also read and write the sockets.
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

MAX_LARGE_BODIES = 16  # bodies in temporary files, each of 18 MiB at most
_OTHER_FILES = 120  # that a process opens besides connections: these bodies, databases, logs
_MAX_UNSENT_BYTES = 256 * 1024  # bytes of an answer: copying 4 MB, as Linux would, takes a while
_ACCEPTED_AT_ONCE = 50
_TICK_S = 1.0
_KEPT_WHEN_STOPPING_S = 2.0  # a client may just be sending a request on an idle connection
# All other invalid requests are 400.
_STATUS_BY_ERROR = {
    BodyTooLarge: 413,
    errors.ExpectationFailed: 417,
    errors.LimitRequestHeaders: 431,
    errors.LimitRequestLine: 414,
    errors.UnsupportedTransferCoding: 501,
}
_READ, _WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class BufferingWorker(ThreadWorker):
    """Threads of the pools only run `handle`; everything else runs in the main thread."""

    patience_s = 10.0  # for a client to send a request, read an answer or hang up

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections: set[Connection] = set()
        self._next_tick_at = 0.0

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Exit with an error message if the worker can't work with these options."""
        if cfg.is_ssl:
            sys.exit("Error: TLS needs a proxy in front, or --worker-class gthread.")
        needed = cfg.worker_connections + _OTHER_FILES
        allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if needed <= allowed:
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
        self._pools = {
            "/healthz": ThreadPoolExecutor(1),  # answers even if the database hangs
            "/readyz": ThreadPoolExecutor(1),  # waits two seconds for a database that hangs
            "/dashboard/": self.get_thread_pool(),  # an import keeps no visitor waiting
            "POST": self.get_thread_pool(),  # waits for locks and the chain; readers don't
        }
        super().init_process()  # it calls run

    def run(self) -> None:
        """Serve until the process should stop, then finish the requests that have begun."""
        from_threads = partial(self.method_queue.run_callbacks, None)
        self.poller.register(self.method_queue.fileno(), _READ, from_threads)
        for listener in self.sockets:
            listener.setblocking(False)
            with suppress(OSError):  # a unix socket
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _MAX_UNSENT_BYTES)
            self.poller.register(listener, _READ, partial(self.accept, listener))
        while self.alive:
            self._run_once()
        ends_at = time.monotonic() + self.cfg.graceful_timeout
        self._stop_listening()
        while self._connections and time.monotonic() < ends_at:
            self._run_once()

    def _run_once(self) -> None:
        ready = self.poller.select(_TICK_S)
        # New connections last: they may displace a client whose request has just arrived.
        for key, _ in sorted(ready, key=lambda one: one[0].fileobj in self.sockets):
            key.data()
        now = time.monotonic()
        if now >= self._next_tick_at:
            self._next_tick_at = now + _TICK_S
            self.notify()
            if not self.is_parent_alive():
                self.alive = False
            for conn in [one for one in self._connections if not one.task and one.deadline < now]:
                self._drop(conn, 408)

    def _stop_listening(self) -> None:
        """Accept connections that are already waiting, and keep idle ones only for a moment."""
        for listener in self.sockets:
            self.poller.unregister(listener)
            self.accept(listener, self.cfg.backlog)
            listener.close()
        for conn in self._connections:
            if conn.is_idle:
                conn.deadline = min(conn.deadline, time.monotonic() + _KEPT_WHEN_STOPPING_S)

    # Connections

    def accept(self, listener: Any, most: int = _ACCEPTED_AT_ONCE) -> None:
        try:
            for _ in range(most):
                accepted, client = listener.accept()
                self._make_room(self._connections, self.worker_connections)
                conn = Connection(accepted, client, listener.getsockname())
                conn.set_deadline(self.patience_s)
                self._connections.add(conn)
                self._watch(_READ, self._receive, conn)
                self._run_step(self._receive, conn)  # right away, before others displace it
        except (BlockingIOError, ConnectionAbortedError):
            pass  # there are no more, or the client has gone
        except OSError as error:  # such as too many open files
            self.log.warning("New connections have to wait: %s.", error.strerror)
            time.sleep(0.1)

    def _make_room(self, conns: Collection[Connection], most: int) -> None:
        """If there are already `most`, end the one that is missed least."""
        if len(conns) < most:
            return
        free = [one for one in conns if one.task is None or not one.task.running()]
        conn = min(free, key=_rank, default=None)
        if conn is not None and (conn.task is None or conn.task.cancel()):
            self._drop(conn, 503)

    def _drop(self, conn: Connection, status: int) -> None:
        """Close a connection; if a request was arriving, send the status first."""
        if conn.step in (None, self._receive) and not conn.is_idle:
            _write_refusal(conn, status)
            with suppress(OSError):
                conn.flush()
        self._close(conn)

    def _close(self, conn: Connection) -> None:
        if conn in self._connections:
            self._connections.remove(conn)
            self._unwatch(conn)
            conn.close()

    def _watch(self, events: int, step: Callable[[Connection], None], conn: Connection) -> None:
        """Take a step with a connection whenever its client is ready."""
        if conn.step != step:
            change = self.poller.modify if conn.step else self.poller.register
            change(conn.socket, events, partial(self._run_step, step, conn))
            conn.step = step

    def _unwatch(self, conn: Connection) -> None:
        if conn.step:
            self.poller.unregister(conn.socket)
            conn.step = None

    def _run_step(self, step: Callable[[Connection], None], conn: Connection) -> None:
        try:
            step(conn)
        except BlockingIOError:
            pass  # the client only seemed to be ready
        except OSError:
            self._close(conn)

    # From a request to its answer

    def _receive(self, conn: Connection) -> None:
        if conn.is_idle:
            conn.set_deadline(self.patience_s)
        conn.receive()
        self._parse_request(conn)

    def _parse_request(self, conn: Connection) -> None:
        try:
            if conn.request is None and conn.take_head(self.cfg):
                self._begin_body(conn)
            if conn.request is not None:
                conn.take_body()
        except OSError:
            raise
        except Exception as error:  # whatever a client's bytes raise, keep serving the others
            self._refuse(conn, error)
            self._send(conn)
            return
        if conn.is_whole:
            self._submit(conn)
        elif conn.is_open:
            self._watch(_READ, self._receive, conn)
        else:
            self._close(conn)

    def _begin_body(self, conn: Connection) -> None:
        if conn.is_large:
            others = [one for one in self._connections if one.is_large and one != conn]
            self._make_room(others, MAX_LARGE_BODIES)
        if conn.request._expected_100_continue and not conn.received:
            conn.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            conn.flush()
        conn.request._expected_100_continue = False  # else gunicorn would send it

    def _submit(self, conn: Connection) -> None:
        """Let a thread handle a request."""
        self._unwatch(conn)
        path = unquote(conn.request.path)
        kind = "/dashboard/" if path.startswith("/dashboard/") else conn.request.method
        pool = self._pools.get(path) or self._pools.get(kind) or self.tpool
        conn.task = pool.submit(self.handle, conn)

    def handle(self, conn: Connection) -> None:
        """Answer a request in a thread, then give the connection back to the loop."""
        try:
            conn.is_kept = self.handle_request(conn.request, conn)
        except BaseException as error:
            conn.is_kept = False
            if not conn.sock.pieces:
                self._refuse(conn, error)
            elif not isinstance(error, StopIteration):  # gunicorn has logged that one
                self.log.exception("An answer could not be completed.")
        end_request()
        self.method_queue.defer(self._run_step, self._finish, conn)

    def _refuse(self, conn: Connection, error: BaseException) -> None:
        """Answer invalid HTTP with its status, and failures outside the app with 500."""
        conn.is_kept = False
        is_clients = isinstance(error, errors.ParseException) and not conn.is_whole
        status = _STATUS_BY_ERROR.get(type(error), 400) if is_clients else 500
        begin_request(_write_refusal(conn, status))
        if is_clients:  # without gunicorn's message, which quotes the request
            self.log.warning("Refused an invalid HTTP request: %s.", type(error).__name__)
        else:
            self.log.exception("A request failed outside the app.")
        end_request()

    def _finish(self, conn: Connection) -> None:
        conn.task = None
        conn.set_deadline(self.patience_s)
        self._send(conn)

    def _send(self, conn: Connection) -> None:
        """Send the rest of an answer, then wait for the next request or hang up."""
        if not conn.flush():
            self._watch(_WRITE, self._send, conn)
        elif conn.is_kept:
            conn.begin_request()
            kept_s = self.cfg.keepalive if self.alive else _KEPT_WHEN_STOPPING_S
            conn.set_deadline(self.patience_s if conn.received else kept_s)
            self._parse_request(conn)
        else:
            self._hang_up(conn)

    def _hang_up(self, conn: Connection) -> None:
        """End the answer, and wait for the client: cut off while sending, it might not read it."""
        conn.socket.shutdown(socket.SHUT_WR)
        conn.begin_request()
        conn.received.clear()
        conn.set_deadline(self.patience_s if self.alive else _KEPT_WHEN_STOPPING_S)
        self._watch(_READ, self._discard, conn)

    def _discard(self, conn: Connection) -> None:
        if not conn.socket.recv(STEP_BYTES):
            self._close(conn)


def _rank(conn: Connection) -> tuple[bool, bool, float]:
    """Put idle connections first, which are kept for long, and waiting requests last."""
    return conn.task is not None, not (conn.is_kept and conn.is_idle), conn.deadline


def _write_refusal(conn: Connection, status: int) -> str:
    """Write an answer with only the status, and return the request's id."""
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
