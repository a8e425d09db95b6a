"""A client's connection: requests arrive on it in pieces, and so do answers leave it."""

import re
import socket
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from io import BytesIO
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from gunicorn.http import Request
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders, ParseException
from gunicorn.http.unreader import Unreader

MAX_HEAD_BYTES = 64 * 1024
MAX_BODY_BYTES = 18 * 1024 * 1024  # the dashboard's largest form has 17 MiB
# In memory; what is larger is in a temporary file. Chunks, whose length is not known before, may
# not be larger: browsers send none, and nginx passes none on.
SMALL_BYTES = 64 * 1024
BYTES_PER_S = 32 * 1024  # who is as fast as this gets more time: 16 MiB may take 522 s
STEP_BYTES = 64 * 1024
_MOST_PIECES = 64  # that are sent by one system call
_BLANK_LINE = b"\r\n\r\n"
_CHUNK_SIZE = re.compile(rb"([0-9a-f]{1,8})[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)


class BodyTooLarge(ParseException):
    """Nobody may send so much."""


class Connection:
    """Either the loop or a thread uses it, and neither ever waits for the client."""

    def __init__(self, accepted: socket.socket, client: Any, server: Any) -> None:
        accepted.setblocking(False)
        self.socket, self.sock = accepted, Outbox(accepted)  # gunicorn answers by the second
        self.client, self.server = client, server  # addresses: tuples, or texts of unix sockets
        self.received = bytearray()  # what does not yet belong to `request` and `body`
        self.step: Callable[[Connection], None] | None = None  # of the loop; None: not watched
        self.task: Future[None] | None = None  # of a thread, from the request to the answer
        self.is_kept = False  # after the answer
        self.body: IO[bytes] = BytesIO()
        self._requests = 0
        self.begin_request()

    def begin_request(self) -> None:
        self.request: Any = None  # gunicorn's, once its head has arrived
        self.body.close()
        self.body = SpooledTemporaryFile(SMALL_BYTES)  # noqa: SIM115
        self.body_bytes = 0
        self.is_whole = False
        self._is_chunked = False
        self._next_chunk = 0  # where it begins in `received`

    @property
    def is_idle(self) -> bool:
        return self.request is None and not self.received

    @property
    def is_large(self) -> bool:
        return self.body_bytes > SMALL_BYTES

    def set_deadline(self, patience_s: float) -> None:
        """End the client then. Bytes that pass give it more time, but never more than this."""
        self._patience_s = patience_s
        self.deadline = time.monotonic() + patience_s

    def receive(self) -> bool:
        """Take what has arrived; return False at the end. Raises BlockingIOError."""
        arrived = self.socket.recv(STEP_BYTES)
        self._postpone_deadline(len(arrived))
        self.received += arrived
        return bool(arrived)

    def flush(self) -> bool:
        """Send what the client takes at once; return whether that was all."""
        self._postpone_deadline(self.sock.flush())
        return not self.sock.pieces

    def close(self) -> None:
        self.body.close()
        self.socket.close()

    def find_head(self, cfg: Any) -> bool:
        """Return whether a head is whole; gunicorn parses it. Raises ParseException."""
        end = self.received.find(_BLANK_LINE)
        if (len(self.received) if end < 0 else end) > MAX_HEAD_BYTES:
            raise LimitRequestHeaders("head")
        if end < 0:
            return False
        self._requests += 1
        arrived = _Arrived(self._take(end + len(_BLANK_LINE)), self.body)
        self.request = Request(cfg, arrived, self.client, self._requests)
        reader = self.request.body.reader
        self._is_chunked = isinstance(reader, ChunkedReader)
        if self._is_chunked:
            self.request.force_close()  # nobody else has to know where such a body ends
        else:
            self.body_bytes = reader.length
        if self.body_bytes > MAX_BODY_BYTES:
            raise BodyTooLarge
        return True

    def take_body(self) -> None:
        """Move what has arrived of the body to its file. Raises BodyTooLarge."""
        if not self._is_chunked:
            self.body.write(self._take(self.body_bytes - self.body.tell()))
            self.is_whole = self.body.tell() == self.body_bytes
        elif self._has_last_chunk():
            self.body.write(self._take(len(self.received)))
            self.is_whole = True
        elif max(self._next_chunk, len(self.received)) > SMALL_BYTES:
            raise BodyTooLarge

    def _has_last_chunk(self) -> bool:
        """Tell whether a chunked body is whole, or malformed: gunicorn's parser then says so."""
        while (end := self.received.find(b"\r\n", self._next_chunk)) >= 0:
            size = _CHUNK_SIZE.fullmatch(self.received, self._next_chunk, end)
            if size is None:
                return True
            if int(size[1], 16) == 0:  # trailers may follow; a blank line ends them
                return self.received.find(_BLANK_LINE, end) >= 0
            self._next_chunk = end + 2 + int(size[1], 16) + 2
        return False

    def _take(self, count: int) -> bytes:
        taken = bytes(self.received[:count])
        del self.received[:count]
        return taken

    def _postpone_deadline(self, passed_bytes: int) -> None:
        postponed = self.deadline + passed_bytes / BYTES_PER_S
        self.deadline = min(postponed, time.monotonic() + self._patience_s)


class _Arrived(Unreader):
    """What gunicorn's parser reads a request from: its head, then its body."""

    def __init__(self, head: bytes, body: IO[bytes]) -> None:
        super().__init__()
        self.unread(head)
        self._body = body

    def chunk(self, size_hint: int | None = None) -> bytes:
        return self._body.read(STEP_BYTES)


class Outbox:
    """An answer until it is sent. To gunicorn it is the client's socket."""

    def __init__(self, accepted: socket.socket) -> None:
        self._socket = accepted
        self.pieces: deque[memoryview] = deque()

    def sendall(self, data: bytes) -> None:
        if data:
            self.pieces.append(memoryview(data))

    def send(self, data: bytes) -> None:
        """Leave out 100 Continue, which the loop has sent."""

    def shutdown(self, how: int) -> None:
        raise OSError  # gunicorn has nothing to wait for: the loop ends what the app breaks off

    def close(self) -> None: ...

    def flush(self) -> int:
        """Send what the client takes at once; return how many bytes."""
        count = 0
        while self.pieces:
            try:
                sent = self._socket.sendmsg(islice(self.pieces, _MOST_PIECES))
            except BlockingIOError:
                break
            count += sent
            while self.pieces and sent >= len(self.pieces[0]):
                sent -= len(self.pieces.popleft())
            if sent:
                self.pieces[0] = self.pieces[0][sent:]
        return count
