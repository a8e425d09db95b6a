"""Counting what clients receive, while they receive it.

http.client and smtplib read from a file that they make of their socket; here that is one that
counts. All libraries that are used here connect by one of the two.
"""

import io
import logging
import socket
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPResponse
from typing import Any

import requests
import urllib3

_PIECE_BYTES = 64 * 1024

# Its warnings quote addresses, which may hold secrets, and answers; what fails is raised as well.
logging.getLogger("urllib3").setLevel(logging.ERROR)

Count = Callable[[int], None]  # raises requests.ConnectionError when that was too much


def bound_http(client: Any, count: Count) -> None:
    """Change one connection of urllib3, before it reads anything.

    What was packed counts again as it is unpacked: it is small only until then.
    """

    def get_response() -> urllib3.HTTPResponse:
        response: urllib3.HTTPResponse = type(client).getresponse(client)
        # A response that referred to itself would stay, and with it the connection.
        vars(response)["stream"] = partial(_stream, weakref.ref(response), count)
        return response

    client.response_class = partial(_BoundedResponse, count)
    client.getresponse = get_response


def _stream(
    find_response: Callable[[], Any], count: Count, *how: Any, **options: Any
) -> Iterator[bytes]:
    """Unpack an answer; one that is packed twice could keep the inner packer busy for hours."""
    response = find_response()
    if "," in response.headers.get("Content-Encoding", ""):
        response.close()
        raise requests.ConnectionError("The answer is compressed more than once.")
    try:
        for chunk in type(response).stream(response, *how, **options):
            count(len(chunk))
            yield chunk
    except requests.ConnectionError:
        response.close()
        raise


def bound_mail(client: Any, count: Count) -> None:
    """Change one client of smtplib, before it reads anything: a reply has no end."""

    def get_reply() -> tuple[int, bytes]:
        if client.file is None:  # it would open it now
            client.file = _bound(client.sock.makefile("rb"), count)
        reply: tuple[int, bytes] = type(client).getreply(client)
        return reply

    client.getreply = get_reply


class _BoundedResponse(HTTPResponse):
    def __init__(self, count: Count, opened: socket.socket, *more: Any, **options: Any) -> None:
        super().__init__(opened, *more, **options)
        self.fp = _bound(self.fp, count)


def _bound(file: io.BufferedReader, count: Count) -> io.BufferedReader:
    return _BoundedReader(_BoundedFile(file.detach(), count))


class _BoundedReader(io.BufferedReader):
    """Takes memory for what has arrived, whatever the other side says is to come."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read until the end without a size, or with a negative one, as a chunk's may be."""
        if size is None or size < 0:
            return super().read()
        read = io.BytesIO()
        while size > 0 and (piece := super().read(min(size, _PIECE_BYTES))):
            read.write(piece)
            size -= len(piece)
        return read.getvalue()


class _BoundedFile(io.RawIOBase):
    """What a connection receives, while `count` allows it."""

    def __init__(self, file: io.RawIOBase, count: Count) -> None:
        self._file = file
        self._count = count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count: int | None = self._file.readinto(buffer)
        self._count(count or 0)
        return count

    def close(self) -> None:
        super().close()
        self._file.close()
