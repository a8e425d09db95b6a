"""A client's connection: it receives requests and sends answers in pieces."""

import re
import socket
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from io import BytesIO
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any

from gunicorn.http import Request
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData, ParseException
from gunicorn.http.unreader import IterUnreader

MAX_HEAD_BYTES = 64 * 1024
MAX_BODY_BYTES = 18 * 1024 * 1024  # the dashboard's largest form has 17 MiB
# Kept in memory; larger bodies go to a temporary file. Chunked bodies, whose length isn't known in
# advance, can't be larger: browsers don't send them, and nginx doesn't pass them on.
MAX_BYTES_IN_MEMORY = 64 * 1024
BYTES_PER_S = 32 * 1024  # clients this fast get more time: 16 MiB may take 522 s
STEP_BYTES = 64 * 1024
_MAX_PIECES = 64  # per system call
_LINE_END, _BLANK_LINE = b"\r\n", b"\r\n\r\n"
_CHUNK_SIZE = re.compile(rb"([0-9a-f]+)[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)


class BodyTooLarge(ParseException):
    """The body is larger than anyone may send."""


class IncompleteBody(ParseException):
    """The client has closed the connection before the end of the body."""


class Connection:
    """A connection used by either the loop or a thread; neither ever waits for the client."""

    def __init__(self, accepted: socket.socket, client: Any, server: Any) -> None:
        accepted.setblocking(False)
        self.socket, self.sock = accepted, SendBuffer()  # gunicorn writes to the second
        self.client, self.server = client, server  # addresses: tuples, or strings for Unix sockets
        self.received = bytearray()  # bytes that aren't in `request` or `body` yet
        self.is_open = True  # the client may send more
        self.step: Callable[[Connection], None] | None = None  # the loop's next; None: not watched
        self.task: Future[None] | None = None  # a thread's, from the request to the answer
        self.is_kept = False  # open after the answer
        self.body: IO[bytes] = BytesIO()
        self._requests = 0
        self.begin_request()

    def begin_request(self) -> None:
        self.request: Any = None  # gunicorn's, after its head has arrived
        self.body.close()
        self.body = BytesIO()
        self.body_bytes = 0
        self.is_whole = False
        self._is_chunked = False
        self._next_chunk = 0  # its position in `received`

    @property
    def is_idle(self) -> bool:
        return self.request is None and not self.received

    @property
    def is_large(self) -> bool:
        return self.body_bytes > MAX_BYTES_IN_MEMORY

    def set_deadline(self, patience_s: float) -> None:
        """End the connection then. Each byte buys more time, but never more than `patience_s`."""
        self._patience_s = patience_s
        self.deadline = time.monotonic() + patience_s

    def receive(self) -> None:
        """Receive what has arrived. Raises BlockingIOError."""
        arrived = self.socket.recv(STEP_BYTES)
        self._postpone_deadline(len(arrived))
        self.received += arrived
        self.is_open = bool(arrived)

    def flush(self) -> bool:
        """Send what the client accepts immediately; return whether that was everything."""
        pieces = self.sock.pieces
        with suppress(BlockingIOError):
            while pieces:
                sent = self.socket.sendmsg(islice(pieces, _MAX_PIECES))
                self._postpone_deadline(sent)
                while pieces and sent >= len(pieces[0]):
                    sent -= len(pieces.popleft())
                if sent:
                    pieces[0] = pieces[0][sent:]
        return not pieces

    def close(self) -> None:
        self.body.close()
        self.socket.close()

    def take_head(self, cfg: Any) -> bool:
        """Return whether a head is complete; gunicorn parses it. Raises ParseException."""
        end = self.received.find(_BLANK_LINE)
        if (len(self.received) if end < 0 else end) > MAX_HEAD_BYTES:
            raise LimitRequestHeaders("head")
        if end < 0:
            return False
        self._requests += 1
        head = IterUnreader([self._pop(end + len(_BLANK_LINE))])
        self.request = Request(cfg, head, self.client, self._requests)
        reader = self.request.body.reader
        self._is_chunked = isinstance(reader, ChunkedReader)
        self.body_bytes = 0 if self._is_chunked else reader.length
        if self.body_bytes > MAX_BODY_BYTES:
            raise BodyTooLarge
        if self.is_large:
            self.body = TemporaryFile()  # noqa: SIM115
        return True

    def take_body(self) -> None:
        """Move the received part of the body to its file. Raises ParseException."""
        if not self._is_chunked:
            self.body.write(self._pop(self.body_bytes - self.body.tell()))
            self.is_whole = self.body.tell() == self.body_bytes
        elif self._has_last_chunk():
            self._decode_chunks()
            self.is_whole = True
        elif max(self._next_chunk, len(self.received)) > MAX_BYTES_IN_MEMORY:
            raise BodyTooLarge
        if self.is_whole:
            self.body.seek(0)
            self.request.body = self.body  # for the app
        elif not self.is_open:
            raise IncompleteBody

    def _has_last_chunk(self) -> bool:
        """Return whether a chunked body is complete, or malformed, which gunicorn will report."""
        while (end := self.received.find(_LINE_END, self._next_chunk)) >= 0:
            size = _CHUNK_SIZE.fullmatch(self.received, self._next_chunk, end)
            if size is None:
                return True
            if int(size[1], 16) == 0:  # trailers may follow; a blank line ends them
                return self.received.find(_BLANK_LINE, end) >= 0
            self._next_chunk = end + 2 + int(size[1], 16) + 2
        return False

    def _decode_chunks(self) -> None:
        """Let gunicorn decode the body, as if it had come with its length."""
        request = self.request
        request.force_close()  # so only gunicorn has to find the end of the body
        request.unreader.unread(self._pop(len(self.received)))
        try:
            content = request.body.read()
        except NoMoreData:
            raise IncompleteBody from None
        self.body = BytesIO(content)
        request.headers = [one for one in request.headers if one[0] != "TRANSFER-ENCODING"]
        request.headers.append(("CONTENT-LENGTH", str(len(content))))

    def _pop(self, count: int) -> bytes:
        taken = bytes(self.received[:count])
        del self.received[:count]
        return taken

    def _postpone_deadline(self, passed_bytes: int) -> None:
        postponed = self.deadline + passed_bytes / BYTES_PER_S
        self.deadline = min(postponed, time.monotonic() + self._patience_s)


class SendBuffer:
    """Holds an answer until it's sent; gunicorn takes it for the client's socket."""

    def __init__(self) -> None:
        self.pieces: deque[memoryview] = deque()

    def sendall(self, data: bytes) -> None:
        if data:
            self.pieces.append(memoryview(data))

    def shutdown(self, how: int) -> None:
        raise OSError  # gunicorn needn't wait: the loop ends answers that the app breaks off

    def close(self) -> None: ...
