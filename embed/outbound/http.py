"""POST requests to addresses that others chose: no redirects, bounded in time and size."""

import io
import socket
import ssl
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException

import requests
import urllib3
from requests import PreparedRequest, Request, Response

from embed.domain.times import Seconds
from embed.outbound.guard import Guard, Reach, TargetRefused, close_all, guarded

_CHUNK_BYTES = 64 * 1024

# What requests raises is an OSError; a name that cannot be a host's is a UnicodeError.
FAILURES = (OSError, HTTPException, urllib3.exceptions.HTTPError, UnicodeError)
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (
        TargetRefused,
        "its address is inside the operator's network, which needs ALLOW_PRIVATE_TARGETS=1",
    ),
    (TimeoutError, "timed out"),
    (requests.Timeout, "timed out"),
    (urllib3.exceptions.ReadTimeoutError, "timed out"),
    (socket.gaierror, "its name could not be resolved"),
    (ConnectionRefusedError, "the connection was refused"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted"),
    (ssl.SSLError, "its TLS failed"),
    (requests.exceptions.InvalidURL, "its address is not valid"),
    (UnicodeError, "its address is not valid"),
)
# How it shows that the server has closed a connection, without an answer.
_HUNG_UP = (ConnectionResetError, BrokenPipeError, ssl.SSLEOFError)

MOST_IDLE = 4
# Shorter than the time after which servers close idle connections, and routers forget them
# without telling either side.
LONGEST_IDLE_S = 30.0


class RequestFailed(Exception):
    """There was no usable answer; the text says why, without the address, as it may be secret."""


class AnswerTooLarge(RequestFailed):
    """The answer had more bytes than were wanted."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # by name in any case
    body: bytes


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
        """Send a body, and return whatever is answered, redirects too; leave the connection open.

        `timeout_s` bounds the whole request, `max_bytes` the whole answer, with its head. Proxies
        and passwords of the environment are not used. A request is sent again if the server hangs
        up a kept connection instead of answering, so it has to be one that may arrive twice.
        Raises RequestFailed, also for a compressed answer; AnswerTooLarge.
        """
        sent = {"Accept-Encoding": "identity", **headers}
        try:
            with guarded(
                reach=self._reach, timeout_s=timeout_s, max_bytes=max_bytes, kept=self._kept
            ) as guard:
                try:
                    request = Request("POST", url, headers=sent, data=body).prepare()
                    return self._ask(request, guard, timeout_s)
                except FAILURES as failure:
                    raise explain(failure, guard) from None
        except BaseException:
            self.close()
            raise

    def _ask(self, request: PreparedRequest, guard: Guard, timeout_s: float) -> Answer:
        with self._send(request, guard, timeout_s) as response:
            if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                raise RequestFailed("the answer is compressed, which was not asked for")
            read = _read(response.raw)
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


class Clients:
    """Lends clients, the one that was used last first; threads may share it."""

    def __init__(self, reach: Reach, monotonic: Callable[[], Seconds]) -> None:
        self._reach = reach
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._idle: deque[tuple[Client, Seconds]] = deque()  # with the time since when
        self._most_idle = MOST_IDLE

    @contextmanager
    def borrow(self) -> Iterator[Client]:
        with self._lock:
            self._close_surplus()
            client = self._idle.pop()[0] if self._idle else Client(self._reach)
        try:
            yield client
        finally:
            with self._lock:
                self._idle.append((client, self._monotonic()))
                self._close_surplus()

    def close(self) -> None:
        """Close those that are idle, and each other one when it is given back."""
        with self._lock:
            self._most_idle = 0
            self._close_surplus()

    def _close_surplus(self) -> None:
        """Close those beyond the number that may be idle, and those that were so for too long."""
        since = self._monotonic() - LONGEST_IDLE_S
        while self._idle and (len(self._idle) > self._most_idle or self._idle[0][1] <= since):
            self._idle.popleft()[0].close()


def _read(raw: urllib3.HTTPResponse) -> bytes:
    read = io.BytesIO()  # of which getvalue() makes no copy
    while chunk := raw.read(_CHUNK_BYTES, decode_content=False):  # only its end shows a cut
        read.write(chunk)
    return read.getvalue()


def explain(failure: BaseException, guard: Guard) -> RequestFailed:
    """Return what to raise for one of FAILURES in the guard's block."""
    if guard.is_exceeded:
        return AnswerTooLarge(f"the answer is larger than {guard.max_bytes:,} bytes")
    if guard.is_expired:
        return RequestFailed("timed out")
    causes = list(_list_causes(failure))
    for kind, reason in _REASONS:
        if any(isinstance(cause, kind) for cause in causes):
            return RequestFailed(reason)
    return RequestFailed("the connection failed")


def _list_causes(failure: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = failure
    while cause is not None:
        yield cause
        # requests keeps what urllib3 raised as an argument.
        yield from (each for each in cause.args if isinstance(each, BaseException))
        cause = cause.__cause__ or cause.__context__
