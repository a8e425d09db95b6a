"""gunicorn's worker: a loop receives complete requests and sends answers.

So no thread waits for a client. It's gunicorn's `gthread` with another loop: the pool, parser and
request handling are gunicorn's, but in `gthread`, threads also read and write the sockets.

The main thread runs the loop and handles requests itself, since passing them to other threads takes
as long as most requests. While one takes longer than _LONG_S, a deputy thread runs the loop and
passes requests to the pools.
"""

import resource
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
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
_OTHER_FILES = 120  # that a process opens besides connections: these bodies, databases, logs
_MOST_IN_SYSTEM = 256 * 1024  # bytes of an answer: copying 4 MB, as Linux would, takes a while
_TICK_S = 1.0
_LONG_S = 0.005  # as long as CPython lets a thread run while others wait
_KEPT_AT_END_S = 2.0  # a client may just be sending a request on an idle connection
# All others are 400. The InvalidResponseHeader errors are the app's fault.
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
# The task of a connection whose request the main thread handles.
_HERE: Future[None] = Future()
_HERE.set_running_or_notify_cancel()


class BufferingWorker(ThreadWorker):
    """Only the thread that has `_loop_lock` uses the poller, and connections without a task."""

    patience_s = 10.0  # for a client to send a request, read an answer or hang up

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections: set[Connection] = set()
        self._next_tick_at = 0.0
        self._loop_lock = threading.Lock()
        self._work: object | None = None  # a request that the main thread handles
        self._has_work = threading.Event()
        self._replacements = 0  # how often the deputy has run the loop
        self._main = 0  # the identifier of the main thread
        if self.cfg.workers == 1 and self.cfg.max_requests == REPLACED_AFTER:
            self.max_requests = sys.maxsize  # nothing would serve until its successor starts

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Exit with an error message if the worker can't work with these options."""
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
        # A hanging database blocks the pools, and for a while the thread of /readyz. Owners'
        # requests and write locks may take seconds, but readers don't wait for those.
        self._pools = {path: ThreadPoolExecutor(1) for path in ("/healthz", "/readyz")} | {
            kind: self.get_thread_pool() for kind in ("dashboard", "POST")
        }
        super().init_process()  # it calls run

    def run(self) -> None:
        """Serve until the process should stop, then finish the requests that have begun."""
        from_threads = partial(self.method_queue.run_callbacks, None)
        self.poller.register(self.method_queue.fileno(), _READ, from_threads)
        for listener in self.sockets:
            listener.setblocking(False)
            with suppress(OSError):  # a unix socket
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _MOST_IN_SYSTEM)
            self.poller.register(listener, _READ, partial(self.accept, listener))
        self._main = threading.get_ident()
        self._loop_lock.acquire()
        threading.Thread(target=self._stand_in, name="deputy", daemon=True).start()
        while self.alive:
            self._turn()
        ends_at = time.monotonic() + self.cfg.graceful_timeout
        self._stop_listening()
        while self._connections and time.monotonic() < ends_at:
            self._turn()

    def _turn(self) -> None:
        ready, replacements = self.poller.select(_TICK_S), self._replacements
        # New connections last: they may displace a client whose request has just arrived.
        for key, _ in sorted(ready, key=lambda one: one[0].fileobj in self.sockets):
            key.data()
            if self._replacements != replacements:  # the deputy has dealt with the others
                break
        now = time.monotonic()
        if now >= self._next_tick_at:
            self._next_tick_at = now + _TICK_S
            self.notify()
            if not self.is_parent_alive():
                self.alive = False
            for conn in [one for one in self._connections if not one.task and one.deadline < now]:
                self._end(conn, 408)

    def _stand_in(self) -> None:
        """Run the loop whenever the main thread handles a request that takes long."""
        while True:
            self._has_work.wait()
            self._has_work.clear()
            work = self._work
            time.sleep(_LONG_S)
            is_long = work is not None and self._work is work
            if not (is_long and self._loop_lock.acquire(blocking=False)):
                continue
            self._replacements += 1
            try:
                while self._work is work:
                    self._turn()
            except Exception:
                if self.alive:  # else it may be quitting, without the pool's threads
                    self.log.exception("The loop failed.")
                self.alive = False
            self._loop_lock.release()

    def handle_usr1(self, sig: int, frame: Any) -> None:
        """Open the log files again, but not while the main thread may be writing to one."""
        self.method_queue.defer(self.log.reopen_files)

    def _stop_listening(self) -> None:
        """Accept connections that are already waiting, and keep idle ones only for a moment."""
        for listener in self.sockets:
            self.poller.unregister(listener)
            self.accept(listener, _KEPT_AT_END_S)
            listener.close()
        self.sockets.clear()
        for conn in self._connections:
            if conn.is_idle:
                conn.deadline = min(conn.deadline, time.monotonic() + _KEPT_AT_END_S)

    # Connections

    def accept(self, listener: Any, for_s: float = _LONG_S) -> None:
        ends_at = time.monotonic() + for_s
        try:
            while time.monotonic() < ends_at:
                accepted, client = listener.accept()
                self._make_room(self._connections, self.worker_connections)
                conn = Connection(accepted, client, listener.getsockname())
                conn.set_deadline(self.patience_s)
                self._connections.add(conn)
                self._wait(_READ, self._receive, conn)
                self._take(self._receive, conn)  # right away, before others displace it
        except (BlockingIOError, ConnectionAbortedError):
            pass  # there are no more, or the client has gone
        except OSError as error:  # such as too many open files
            self.log.warning("New connections have to wait: %s.", error.strerror)
            time.sleep(0.1)

    def _make_room(self, conns: Collection[Connection], most: int) -> None:
        """If there are already `most`, end the connection with the earliest deadline.

        Requests that are waiting for a thread are ended last, and those in a thread never.
        """
        if len(conns) < most:
            return
        free = [one for one in conns if one.task is None or not one.task.running()]
        conn = min(free, key=lambda one: (one.task is not None, one.deadline), default=None)
        if conn is not None and (conn.task is None or conn.task.cancel()):
            self._end(conn, 503)

    def _end(self, conn: Connection, status: int) -> None:
        """Close a connection; if a request was arriving, send the status first."""
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
        if conn.step != self._receive:
            return  # an answer has begun since the bytes arrived
        if conn.task:  # clients rarely send more before they have the answer
            self._stop_waiting(conn)
            return
        if conn.is_idle:
            conn.set_deadline(self.patience_s)
        self._look_for_request(conn, is_open=conn.receive(), can_stay=True)

    def _look_for_request(
        self, conn: Connection, *, is_open: bool = True, can_stay: bool = False
    ) -> None:
        try:
            if conn.request is None and conn.find_head(self.cfg):
                self._begin_body(conn)
            if conn.request is not None:
                conn.take_body()
        except OSError:
            raise
        except Exception as error:  # whatever a client's bytes raise, keep serving the others
            self._refuse(conn, error)
            self._send(conn)
            return
        if conn.is_whole or (conn.request and not is_open):
            self._hand_over(conn, can_stay=can_stay)
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

    def _hand_over(self, conn: Connection, *, can_stay: bool) -> None:
        """Handle a request in this thread if it can stay, else in another one."""
        if not conn.is_whole:  # the client has closed the connection
            conn.request.force_close()
        if conn.step == self._send:  # of the answer before
            self._stop_waiting(conn)
        conn.body.seek(0)
        path = unquote(conn.request.path)
        kind = "dashboard" if path.startswith("/dashboard/") else conn.request.method
        pool = self._pools.get(path) or self._pools.get(kind, self.tpool)
        can_stay &= threading.get_ident() == self._main
        if can_stay and path not in self._pools and kind != "dashboard":
            self._handle_here(conn)
        else:
            conn.task = pool.submit(self._handle_there, conn)  # type: ignore[union-attr]

    def _handle_here(self, conn: Connection) -> None:
        """Handle a request in the main thread; the deputy runs the loop if that takes long."""
        conn.task, self._work = _HERE, object()
        self._loop_lock.release()
        if not self._has_work.is_set():
            self._has_work.set()  # when the deputy can take the loop, for it tries only once
        self.handle(conn)
        self._work = None
        if not self._loop_lock.acquire(blocking=False):
            self.method_queue.defer(int)  # wakes the deputy, which then returns the loop
            self._loop_lock.acquire()
        self._finish(conn)

    def _handle_there(self, conn: Connection) -> None:
        """Handle a request in a pool's thread, then give the connection back to the loop."""
        self.handle(conn)
        self.method_queue.defer(self._take, self._finish, conn)

    def handle(self, conn: Connection) -> None:
        """Answer a request."""
        try:
            conn.is_kept = self.handle_request(conn.request, conn)
        except BaseException as error:
            is_from_signal = isinstance(error, SystemExit) and not self.alive
            if is_from_signal and conn.task is _HERE:  # only the main thread gets signals
                raise
            conn.is_kept = False
            if not conn.sock.pieces:
                self._refuse(conn, error)
            elif not isinstance(
                error, (StopIteration, ConnectionError)
            ):  # gunicorn's error; the client's
                self.log.exception("An answer could not be completed.")
        end_request()

    def _refuse(self, conn: Connection, error: BaseException) -> None:
        """Answer invalid HTTP with its status, and failures outside the app with 500.

        gunicorn's own messages quote the request and the client's address.
        """
        conn.is_kept = False
        is_clients = isinstance(error, errors.ParseException)
        status = _STATUS_BY_ERROR.get(type(error), 400) if is_clients else 500
        begin_request(_write_refusal(conn, status))
        if is_clients:
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
            self._wait(_WRITE, self._send, conn)
        elif conn.is_kept:
            conn.begin_request()
            conn.set_deadline(self.patience_s if conn.received else self.cfg.keepalive)
            self._look_for_request(conn)
        else:
            self._hang_up(conn)

    def _hang_up(self, conn: Connection) -> None:
        """End the answer, and wait for the client: cut off while sending, it might not read it."""
        conn.socket.shutdown(socket.SHUT_WR)
        conn.begin_request()
        conn.received.clear()
        conn.set_deadline(self.patience_s if self.alive else _KEPT_AT_END_S)
        self._wait(_READ, self._discard, conn)

    def _discard(self, conn: Connection) -> None:
        if not conn.socket.recv(STEP_BYTES):
            self._close(conn)


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
