"""POST requests to addresses that others chose: no redirects, bounded in time and size."""

import socket
import ssl
import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException

import requests
import urllib3
from requests import PreparedRequest, Request, Response

from embed.outbound.guard import Guard, Reach, TargetRefused, close_all, guarded

_CHUNK_BYTES = 64 * 1024

_FAILURES = (requests.RequestException, urllib3.exceptions.HTTPError, HTTPException, OSError)
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (TargetRefused, "its address is inside the operator's network"),
    (TimeoutError, "timed out"),
    (requests.Timeout, "timed out"),
    (urllib3.exceptions.ReadTimeoutError, "timed out"),
    (socket.gaierror, "its name could not be resolved"),
    (ConnectionRefusedError, "the connection was refused"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted"),
    (ssl.SSLError, "its TLS failed"),
    (requests.exceptions.InvalidURL, "its address is not valid"),
)
# How it shows that the server has closed a connection, without an answer.
_HUNG_UP = (ConnectionResetError, BrokenPipeError, ssl.SSLEOFError)


class RequestFailed(Exception):
    """There was no usable answer; the text says why, without the address, as it may be secret."""


class AnswerTooLarge(RequestFailed):
    """The answer had more bytes than were wanted."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # by name in any case
    body: bytes


def post(
    url: str,
    body: bytes,
    *,
    headers: Mapping[str, str],
    reach: Reach,
    timeout_s: float,
    max_bytes: int,
) -> Answer:
    """Send a body by a connection of its own, and return whatever is answered, redirects too.

    `timeout_s` bounds the whole request. Proxies and passwords of the environment are not used.
    Raises RequestFailed, also for an answer of more than `max_bytes` or a compressed one.
    """
    headers = {"Connection": "close", **headers}
    with closing(Client(reach)) as client:
        return client.post(url, body, headers=headers, timeout_s=timeout_s, max_bytes=max_bytes)


class Client:
    """Sends requests to one server, one after the other, by one connection while that lasts."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        # requests.Session would also keep cookies, and read a redirect's body without bounds:
        # https://github.com/psf/requests/blob/v2.34.2/src/requests/sessions.py
        self._adapter = requests.adapters.HTTPAdapter()
        self._kept: list[socket.socket] = []
        weakref.finalize(self, close_all, self._kept)

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        self._adapter.close()
        close_all(self._kept)

    def post(
        self, url: str, body: bytes, *, headers: Mapping[str, str], timeout_s: float, max_bytes: int
    ) -> Answer:
        """Do what the function `post` does, but leave the connection open after an answer.

        A request is sent again if the server hangs up a kept connection instead of answering,
        so it has to be one that may arrive twice.
        """
        sent = {"Accept-Encoding": "identity", **headers}
        with ExitStack() as on_failure:
            on_failure.callback(self.close)
            with guarded(reach=self._reach, timeout_s=timeout_s, kept=self._kept) as guard:
                try:
                    request = Request("POST", url, headers=sent, data=body).prepare()
                    answer = self._ask(request, guard, timeout_s, max_bytes)
                except _FAILURES as failure:
                    reason = "timed out" if guard.is_expired else find_reason(failure)
                    raise RequestFailed(reason) from None
                except UnicodeError:  # a name that cannot be a host's
                    raise RequestFailed("its address is not valid") from None
            on_failure.pop_all()
        return answer

    def _ask(
        self, request: PreparedRequest, guard: Guard, timeout_s: float, max_bytes: int
    ) -> Answer:
        with self._send(request, guard, timeout_s) as response:
            if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                raise RequestFailed("the answer is compressed, which was not asked for")
            read = _read(response.raw, max_bytes)
            if guard.is_expired:  # cut short, which an answer without a length does not show
                raise RequestFailed("timed out")
            return Answer(response.status_code, response.headers, read)

    def _send(self, request: PreparedRequest, guard: Guard, timeout_s: float) -> Response:
        # Looking whether it is closed, as urllib3 does, does not show what happens right after.
        send = partial(self._adapter.send, request, stream=True, timeout=timeout_s)
        try:
            return send()
        except requests.ConnectionError as failure:
            is_hung_up = any(isinstance(cause, _HUNG_UP) for cause in _list_causes(failure))
            if guard.has_opened or guard.is_expired or not is_hung_up:
                raise
            return send()


def _read(raw: urllib3.HTTPResponse, max_bytes: int) -> bytes:
    read = bytearray()
    while chunk := raw.read(_CHUNK_BYTES, decode_content=False):  # only its end shows a cut
        read += chunk
        if len(read) > max_bytes:
            raise AnswerTooLarge(f"the answer is larger than {max_bytes:,} bytes")
    return bytes(read)


def find_reason(failure: BaseException) -> str:
    causes = list(_list_causes(failure))
    for kind, reason in _REASONS:
        if any(isinstance(cause, kind) for cause in causes):
            return reason
    return "the connection failed"


def _list_causes(failure: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = failure
    while cause is not None:
        yield cause
        # requests keeps what urllib3 raised as an argument.
        yield from (each for each in cause.args if isinstance(each, BaseException))
        cause = cause.__cause__ or cause.__context__
