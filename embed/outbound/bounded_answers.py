"""Bounds the answers that other libraries read whole, with `requests` or smtplib."""

import smtplib
from typing import Any, BinaryIO

import requests
from requests import Response

from embed.outbound.guard import is_guarded

MAX_BYTES = 4 * 1024 * 1024  # decompressed; some services list a workspace's rooms or users
_CHUNK_BYTES = 64 * 1024


class AnswerTooLarge(requests.RequestException):
    """An answer is larger than MAX_BYTES."""


class BoundedAdapter(requests.adapters.HTTPAdapter):
    """Reads an answer before its caller does, a redirect's too, if that is in `guarded`."""

    def send(self, *args: Any, **kwargs: Any) -> Response:
        response = super().send(*args, **kwargs)
        if is_guarded():
            # Where `content`, and all that is made of it, looks first.
            response._content = _read(response)
        return response


def _read(response: Response) -> bytes:
    read = bytearray()
    with response:
        for chunk in response.iter_content(_CHUNK_BYTES):
            read += chunk
            if len(read) > MAX_BYTES:
                raise AnswerTooLarge(f"The answer is larger than {MAX_BYTES:,} bytes.")
    return bytes(read)


class _BoundedLines:
    """The lines of a mail server, up to MAX_BYTES of a connection."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._left = MAX_BYTES

    def readline(self, size: int) -> bytes:
        line = self._lines.readline(size)
        self._left -= len(line)
        if self._left < 0:
            raise OSError("The answers are too large.")  # which smtplib expects
        return line

    def close(self) -> None:
        self._lines.close()


_get_reply = smtplib.SMTP.getreply


def _get_bounded_reply(client: Any) -> tuple[int, bytes]:
    if client.file is None:  # it would open it now
        client.file = _BoundedLines(client.sock.makefile("rb"))
    return _get_reply(client)


def bound_answers() -> None:
    """Let every session of requests, and every client of smtplib, read this way from now on."""
    # Where a session takes its adapters from; others' code offers no other way.
    requests.sessions.HTTPAdapter = BoundedAdapter  # type: ignore[attr-defined]  # it imports it
    smtplib.SMTP.getreply = _get_bounded_reply  # type: ignore[method-assign,assignment]  # a reply has no end
