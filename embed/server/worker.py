"""gunicorn's threaded worker, with threads that never wait for a client."""

import math
import selectors
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any
from weakref import WeakSet

from gunicorn import util
from gunicorn.http.message import Request
from gunicorn.workers.gthread import TConn, ThreadWorker

from embed.server.client_socket import ClientSocket

_SWEEP_INTERVAL_S = 0.5
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

Step = Callable[[TConn], None]


class BufferingWorker(ThreadWorker):
    """Lets its loop receive whole requests, and send what clients are slow to read.

    In gunicorn's own worker the threads do both without a time limit, so that a few stalled
    clients occupy all of them. Here a stalled client costs a file descriptor and what it sent.
    """

    # How long a request may take to arrive, its answer to be read, and the client to hang up
    # after that. Bytes that pass add to it at this rate: 4 MiB may take 138 s.
    patience_s = 10.0
    least_bytes_per_s = 32 * 1024
    # What each connection may keep in memory, and what all that keep more may keep together.
    small_bytes = 64 * 1024
    large_bytes_in_all = 128 * 1024 * 1024

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._connections: WeakSet[TConn] = WeakSet()
        # Those that wait for their client, each with what is done at its deadline.
        self._waiting: dict[TConn, Step] = {}
        self._next_sweep_at = 0.0
        self._idle_deadline = math.inf

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Exit with a sentence if clients are to speak TLS with this worker."""
        if cfg.is_ssl:
            sys.exit("Error: TLS needs a proxy in front, or --worker-class gthread.")
        super().check_config(cfg, log)

    # Receive a request

    def enqueue_req(self, conn: TConn) -> None:
        """Receive the next request of a new or kept-alive connection, then pass it on."""
        if not conn.initialized:
            conn.sock = ClientSocket(conn.sock, self.patience_s, self.least_bytes_per_s)
            conn.init()
            self._connections.add(conn)
        client = conn.sock
        client.begin_request(conn.parser.unreader.take_buffered())
        if client.framing.can_pass_on(client.received):
            super().enqueue_req(conn)
        else:
            self._take(self._receive, conn)

    def _receive(self, conn: TConn) -> None:
        client = conn.sock
        is_open = client.receive()
        if not is_open and not client.received:
            self._close(conn)
        elif not is_open or client.framing.can_pass_on(client.received):
            self._stop_waiting(conn)
            super().enqueue_req(conn)
        elif self._is_short_of_memory_for(conn):
            self._refuse(conn)
        else:
            if client.framing.awaits_continue:
                client.framing.awaits_continue = False
                client.sendall(_CONTINUE)
            self._wait(conn, selectors.EVENT_READ, self._receive, self._end_receiving)

    def _end_receiving(self, conn: TConn) -> None:
        if conn.sock.received:
            util.write_error(conn.sock, 408, "Request Timeout", "")
        self._close(conn)

    def _refuse(self, conn: TConn) -> None:
        self._stop_waiting(conn)
        util.write_error(conn.sock, 503, "Service Unavailable", "")
        conn.sock.restart_deadline()
        self._send(self._hang_up, conn)

    # Handle it, in a thread

    def handle_request(self, req: Request, conn: TConn) -> bool:
        # The loop has said "100 Continue" if the client needs to hear it.
        req._expected_100_continue = False
        if not conn.sock.framing.is_whole:
            req.force_close()
        is_kept: bool = super().handle_request(req, conn)
        return is_kept

    def _keepalive_after(self, conn: TConn, keepalive: bool) -> bool:
        """Drop what the app did not read of the body, all of which is in memory."""
        return keepalive and conn.parser.finish_body() is True

    # Send the answer

    def finish_request(self, conn: TConn, fs: Future[bool]) -> None:
        """Send what the client did not take at once; then keep the connection or end it.

        If the parser wanted more than was received, it is unknown where the next request begins.
        """
        is_kept = not fs.cancelled() and fs.exception() is None and fs.result()
        is_kept = is_kept and not conn.sock.is_exhausted
        conn.sock.restart_deadline()
        self._take(partial(self._send, partial(self._keep, fs) if is_kept else self._hang_up), conn)

    def _send(self, next_step: Step, conn: TConn) -> None:
        if conn.sock.flush():
            self._stop_waiting(conn)
            next_step(conn)
        elif self._is_short_of_memory_for(conn):
            self._close(conn)
        else:
            self._wait(conn, selectors.EVENT_WRITE, partial(self._send, next_step), self._close)

    def _keep(self, fs: Future[bool], conn: TConn) -> None:
        if conn.sock.received:
            self.enqueue_req(conn)
        else:
            super().finish_request(conn, fs)

    def _hang_up(self, conn: TConn) -> None:
        """End the answer; a client that is cut off while it still sends may not get to read it."""
        conn.sock.shutdown(socket.SHUT_WR)
        conn.sock.restart_deadline()
        self._discard(conn)

    def _discard(self, conn: TConn) -> None:
        if conn.sock.discard():
            self._wait(conn, selectors.EVENT_READ, self._discard, self._close)
        else:
            self._close(conn)

    # Wait for clients

    def _take(self, step: Step, conn: TConn, _readable: ClientSocket | None = None) -> None:
        """Take a step with a connection, and close it if the client has broken it off."""
        try:
            step(conn)
        except OSError:
            self._close(conn)

    def _wait(self, conn: TConn, event: int, step: Step, at_deadline: Step) -> None:
        if conn not in self._waiting:
            self.poller.register(conn.sock, event, partial(self._take, step, conn))
            self._waiting[conn] = at_deadline

    def _stop_waiting(self, conn: TConn) -> None:
        if self._waiting.pop(conn, None):
            self.poller.unregister(conn.sock)

    def _close(self, conn: TConn) -> None:
        self._stop_waiting(conn)
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """End the connections whose deadline has passed."""
        now = time.monotonic()
        if now < self._next_sweep_at:
            return
        self._next_sweep_at = now + _SWEEP_INTERVAL_S
        for conn, at_deadline in list(self._waiting.items()):
            is_idle = not conn.sock.buffered_bytes
            if conn.sock.deadline < now or (is_idle and self._idle_deadline < now):
                self._take(at_deadline, conn)

    def _cap_keepalive(self, deadline: float) -> None:
        """Let a worker that stops wait for clients without a request until then at most."""
        super()._cap_keepalive(deadline)
        self._idle_deadline = deadline

    def _is_short_of_memory_for(self, conn: TConn) -> bool:
        if conn.sock.buffered_bytes <= self.small_bytes:
            return False
        sizes: list[int] = [one.sock.buffered_bytes for one in self._connections]
        return sum(size for size in sizes if size > self.small_bytes) > self.large_bytes_in_all
