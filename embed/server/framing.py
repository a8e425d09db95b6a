"""How far a request reaches (RFC 9112, section 6)."""

import re
from collections.abc import Callable

MAX_HEAD_BYTES = 64 * 1024
# The dashboard's largest form has 4 MiB; what is longer is passed on in part and refused. So is
# what is long without an owner's session, since only signed-in owners may send long forms.
MAX_REQUEST_BYTES = 5 * 1024 * 1024
MAX_SIGNED_OUT_BYTES = 64 * 1024
# Of chunks, whose length is not known before: browsers send none, and nginx passes none on.
MAX_CHUNKS_BYTES = 64 * 1024
MAX_CHUNK_LINE_BYTES = 8190

_BLANK_LINE = b"\r\n\r\n"
_PROXY_SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"  # what a PROXY header of version 2 begins with
_CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_COOKIES = re.compile(  # gunicorn refuses longer lines
    rb"\r\ncookie:([^\r\n]{0,8190})\r\n", re.IGNORECASE
)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[^\r\n]*chunked[ \t]*\r\n", re.IGNORECASE)
_EXPECT = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)
_CHUNK_SIZE = re.compile(rb"([0-9a-f]{1,8})[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)

IsSignedIn = Callable[[str], bool]  # whether a Cookie header holds an owner's session


class Framing:
    """Finds the end of the one request that a buffer begins with, while the buffer grows.

    This only decides when to pass a request on; gunicorn parses and checks it then. A malformed
    length or chunk is passed on at once, and a head without its blank line waits. What was
    searched already is not searched again.
    """

    def __init__(self, is_signed_in: IsSignedIn) -> None:
        self.is_whole = False
        self.awaits_continue = False
        self.has_long_head = False
        self.large_bytes = 0  # of the whole request, if it is large and worth waiting for
        self._head_length = 0
        self._is_chunked = False
        self._is_in_trailers = False
        self._max_bytes = MAX_SIGNED_OUT_BYTES
        self._is_signed_in = is_signed_in
        self._next = 0  # where to search on: within the head, then from chunk to chunk

    def can_pass_on(self, received: bytearray, more_bytes: int = 0) -> bool:
        """Return whether the request is whole, malformed, or too long to wait for.

        `more_bytes` have followed what is in the buffer.
        """
        if not self._head_length and not self._find_head(received):
            return self.has_long_head
        if self._is_chunked:
            return self._skip_chunks(received)
        self.is_whole = len(received) + more_bytes >= self._next
        return self.is_whole or self._next > self._max_bytes

    def _find_head(self, received: bytearray) -> bool:
        is_proxied = _PROXY_SIGNATURE.startswith(received[: len(_PROXY_SIGNATURE)])
        start = max(self._next, len(_PROXY_SIGNATURE)) if is_proxied else self._next
        end = received.find(_BLANK_LINE, start)
        self.has_long_head = (end if end >= 0 else len(received)) > MAX_HEAD_BYTES
        if end < 0 or self.has_long_head:
            self._next = max(0, len(received) - len(_BLANK_LINE) + 1)
            return False
        self._head_length = self._next = end + len(_BLANK_LINE)
        head = bytes(received[: self._head_length])
        request_line = head.lstrip(b"\r\n").partition(b"\r\n")[0]
        self.awaits_continue = request_line.endswith(b"HTTP/1.1") and bool(_EXPECT.search(head))
        length, chunked = _CONTENT_LENGTH.search(head), _CHUNKED.search(head)
        self._is_chunked = chunked is not None and length is None
        if length and not chunked:  # both are refused
            self._next += int(length[1])
            self._admit_large(head)
        return True

    def _admit_large(self, head: bytes) -> None:
        """Wait for a large request if the head holds an owner's session."""
        if not MAX_SIGNED_OUT_BYTES < self._next <= MAX_REQUEST_BYTES:
            return
        cookies = _COOKIES.search(head)
        if cookies and self._is_signed_in(cookies[1].decode("latin-1")):
            self._max_bytes, self.large_bytes = MAX_REQUEST_BYTES, self._next

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
        return (
            self.is_whole or max(self._next, len(received)) > self._head_length + MAX_CHUNKS_BYTES
        )
