"""A client's connection that never makes the thread that uses it wait for the client."""

import socket
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Any

from gunicorn.http import RequestParser

from embed.server.framing import Framing, measure_head
from embed.server.large_body import LargeBody

_STEP_BYTES = 64 * 1024
_MOST_DISCARDED_BYTES = 32 * 1024 * 1024
_MOST_PIECES = 64  # that are sent by one system call

Step = Callable[["Connection"], None]


class Connection:
    """To gunicorn's parser and response it is a socket: one that reads and writes in memory.

    The loop fills and empties that memory as the client sends and reads. It ends a connection at
    its deadline, which bytes that pass postpone at a rate of `bytes_per_s`, but never beyond
    `patience_s` from now.
    """

    def __init__(self, accepted: socket.socket, client: Any, server: Any, worker: Any) -> None:
        accepted.setblocking(False)
        self.socket = accepted
        self.client = client  # its address: a tuple, or a text if it uses a unix socket
        self.server = server
        self.parser = RequestParser(worker.cfg, self, client)
        self.events = 0  # of ``selectors``, for which the loop's poller looks
        self.step: Step | None = None  # when the client is ready; None if it is not waited for
        self.at_deadline: Step | None = None
        self.queue: Any = None  # in which its request waits, or from which it was taken
        self.is_handled = False  # by a thread, from the beginning until the answer is sent
        self.deadline = 0.0
        self.received = bytearray()
        self.request: Any = None  # gunicorn's, once its head has arrived
        self.framing: Framing | None = None  # of the request
        self.is_exhausted = False  # for good: a connection does not outlive it
        self.unsent_bytes = 0  # of all that is not sent whole, as none of it is freed before
        self._unsent: deque[memoryview] = deque()
        self._large_body: LargeBody | None = None  # what follows `received`
        self._worker = worker  # which says how patient to be
        self._searched_bytes = 0  # of `received`, for the end of a head
        self._head_bytes = 0  # of `request`
        self._discarded_bytes = 0

    # For gunicorn's parser and response

    def recv(self, size: int) -> bytes:
        """Return what was received; empty, as at the end, when there is no more of it."""
        taken = bytes(self.received[:size])
        del self.received[:size]
        if not taken and self._large_body is not None:
            taken = self._large_body.read(size)
            if self._large_body.is_read:
                self._large_body = None
        self.is_exhausted = self.is_exhausted or not taken
        return taken

    def sendall(self, data: bytes) -> None:
        """Keep what is to be sent."""
        if data:
            self._unsent.append(memoryview(data))
            self.unsent_bytes += len(data)

    def send(self, data: bytes) -> None:
        """Leave out gunicorn's 100 Continue: the loop has sent one if the client waits for it."""

    # For the loop

    @property
    def received_bytes(self) -> int:
        return self._head_bytes + len(self.received) + self._count_large()

    @property
    def is_idle(self) -> bool:
        """Tell whether nothing has arrived of a request."""
        return not self.received and self.request is None

    @property
    def is_whole(self) -> bool:
        """Tell whether all of a request has arrived."""
        return self.framing is not None and self.framing.is_whole

    def begin_request(self) -> None:
        """Expect a request, of which the parser may have taken something already."""
        self.received[:0] = self.parser.unreader.take_buffered()
        self.request = self.framing = None
        self._searched_bytes = self._head_bytes = 0
        self.restart_deadline()

    def find_request(self, *, is_over: bool = False) -> bool:
        """Return whether a request is whole, or too long to wait for.

        If `is_over`, nothing more will arrive, and what has arrived is passed on as it is.
        Raises what gunicorn's parser does when a head is malformed.
        """
        if self.framing is None:
            arrived_bytes = len(self.received)
            head_bytes = measure_head(self.received, self._searched_bytes)
            if not head_bytes and not is_over:
                self._searched_bytes = arrived_bytes
                return False
            # Whole, as the parser would search pieces again with each that follows.
            self.parser.unreader.unread(self.recv(head_bytes or arrived_bytes))
            self.request = next(self.parser)
            self.received[:0] = self.parser.unreader.take_buffered()
            self._head_bytes = arrived_bytes - len(self.received)
            self.framing = Framing(self.request, self._worker.is_signed_in)
        return self.framing.can_pass_on(self.received, self._count_large()) or is_over

    def restart_deadline(self, patience_s: float | None = None) -> None:
        self.deadline = time.monotonic() + (patience_s or self._worker.patience_s)

    def receive(self) -> bool:
        """Keep what has arrived; return False at the end."""
        if self._large_body is None and self.framing and self.framing.large_bytes:
            self._large_body = LargeBody(self.framing.large_bytes - len(self.received))
        if self._large_body is None:
            arrived = self._read()
            self.received += arrived or b""
        else:
            arrived = self._read(self._large_body.missing_bytes)
            self._large_body.write(arrived or b"")
        return arrived != b""

    def forget_request(self) -> None:
        self.received.clear()
        self._large_body = None

    def close(self) -> None:
        """Close the socket, and free what was received.

        The parser and the request refer to this connection, and would be freed much later.
        """
        self.socket.close()
        self.forget_request()
        self.request = None
        del self.parser

    def discard(self) -> bool:
        """Forget what was received and has arrived; return False at the end, or after 32 MiB."""
        self.forget_request()
        arrived = self._read()
        self._discarded_bytes += len(arrived or b"")
        return arrived != b"" and self._discarded_bytes <= _MOST_DISCARDED_BYTES

    def flush(self) -> bool:
        """Send what the client takes; return whether that was all."""
        while self._unsent:
            try:
                sent = self.socket.sendmsg(islice(self._unsent, _MOST_PIECES))
            except BlockingIOError:
                return False
            self._extend_deadline(sent)
            while self._unsent and sent >= len(self._unsent[0]):
                piece = self._unsent.popleft()
                sent -= len(piece)
                self.unsent_bytes -= len(piece.obj)  # type: ignore[arg-type]  # bytes
            if sent:
                self._unsent[0] = self._unsent[0][sent:]
        return True

    def _count_large(self) -> int:
        return len(self._large_body or b"")  # a thread that handles the request may free it

    def _read(self, most_bytes: int = _STEP_BYTES) -> bytes | None:
        """Return what has arrived, at most 64 KiB; empty at the end, None if nothing has."""
        try:
            arrived = self.socket.recv(min(most_bytes, _STEP_BYTES))
        except BlockingIOError:
            return None
        self._extend_deadline(len(arrived))
        return arrived

    def _extend_deadline(self, passed_bytes: int) -> None:
        postponed = self.deadline + passed_bytes / self._worker.bytes_per_s
        self.deadline = min(postponed, time.monotonic() + self._worker.patience_s)
