"""How far a request reaches (RFC 9112, section 6)."""

import re
from collections.abc import Callable

from gunicorn.http.errors import LimitRequestHeaders
from gunicorn.http.message import Request

MAX_HEAD_BYTES = 64 * 1024
MAX_HEAD_LINES = 1000  # gunicorn splits all of them before it says that they are too many
# The dashboard's largest form has 17 MiB; what is longer is passed on in part and refused. So is
# what is long without an owner's session, since only signed-in owners may send long forms.
MAX_LARGE_BODY_BYTES = 17 * 1024 * 1024
MAX_SIGNED_OUT_BYTES = 64 * 1024
# Of chunks, whose length is not known before: browsers send none, and nginx passes none on.
MAX_CHUNKS_BYTES = 64 * 1024
MAX_CHUNK_LINE_BYTES = 8190

_BLANK_LINE = b"\r\n\r\n"
_PROXY_SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"  # what a PROXY header of version 2 begins with
_CHUNK_SIZE = re.compile(rb"([0-9a-f]{1,8})[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)

IsSignedIn = Callable[[str], bool]  # whether a Cookie header holds an owner's session


def measure_head(received: bytearray, searched_bytes: int) -> int:
    """Return how long the head is that a buffer begins with; 0 if it has not arrived whole.

    `searched_bytes` at the buffer's beginning were searched before. Raises LimitRequestHeaders.
    """
    is_proxied = _PROXY_SIGNATURE.startswith(received[: len(_PROXY_SIGNATURE)])
    least = len(_PROXY_SIGNATURE) if is_proxied else 0
    end = received.find(_BLANK_LINE, max(least, searched_bytes - len(_BLANK_LINE) + 1))
    if (end if end >= 0 else len(received)) > MAX_HEAD_BYTES:
        raise LimitRequestHeaders("head")
    if end < 0:
        return 0
    if received.count(b"\n", 0, end) > MAX_HEAD_LINES:
        raise LimitRequestHeaders("lines")
    return end + len(_BLANK_LINE)


class Framing:
    """Finds the end of a request's body in a buffer that begins with it, while the buffer grows.

    This only decides when to pass a request on. A malformed chunk is passed on at once: gunicorn
    refuses it. What was searched already is not searched again.
    """

    def __init__(self, request: Request, is_signed_in: IsSignedIn) -> None:
        fields = dict(request.headers)
        length = int(fields.get("CONTENT-LENGTH", 0))  # which gunicorn has checked
        self.is_whole = False
        self.awaits_continue = "EXPECT" in fields and request.version >= (1, 1)
        self.large_bytes = 0  # if the body is large and worth waiting for
        if MAX_SIGNED_OUT_BYTES < length <= MAX_LARGE_BODY_BYTES and is_signed_in(
            fields.get("COOKIE", "")
        ):
            self.large_bytes = length
        self._is_chunked = "TRANSFER-ENCODING" in fields
        self._is_in_trailers = False
        self._next = length  # where the body ends, or where the next chunk begins

    def can_pass_on(self, received: bytearray, more_bytes: int = 0) -> bool:
        """Return whether the body is whole, malformed, or too long to wait for.

        `more_bytes` have followed what is in the buffer.
        """
        if self._is_chunked:
            return self._skip_chunks(received)
        self.is_whole = len(received) + more_bytes >= self._next
        return self.is_whole or self._next > max(MAX_SIGNED_OUT_BYTES, self.large_bytes)

    def _skip_chunks(self, received: bytearray) -> bool:
        while self._next < len(received) and not self._is_in_trailers:
            end = received.find(b"\r\n", self._next, self._next + MAX_CHUNK_LINE_BYTES)
            if end < 0:
                return len(received) - self._next >= MAX_CHUNK_LINE_BYTES
            size = _CHUNK_SIZE.fullmatch(received, self._next, end)
            if size is None:
                return True
            self._is_in_trailers = int(size[1], 16) == 0
            self._next = end if self._is_in_trailers else end + 2 + int(size[1], 16) + 2
        if self._is_in_trailers:
            # They end with a blank line, which follows at once if there are none.
            self.is_whole = received.find(_BLANK_LINE, self._next) >= 0
            self._next = max(self._next, len(received) - len(_BLANK_LINE) + 1)
        return self.is_whole or max(self._next, len(received)) > MAX_CHUNKS_BYTES
