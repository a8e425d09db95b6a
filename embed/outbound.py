"""Client for requests to addresses chosen by others: no redirects, limited in time and size.

httpcore doesn't follow redirects or decompress, and uses no proxy, cookie or password from the
environment. Its network backend decides which addresses it may connect to, and sets the limits:
https://www.encode.io/httpcore/network-backends/
"""

import concurrent.futures
import socket
import ssl
import time
import weakref
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from threading import Thread
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import httpcore

from embed.domain.times import Seconds

MOST_IDLE = 4  # connections per client
# Shorter than the time after which servers close idle connections, or routers silently forget
# them.
LONGEST_IDLE_S = 30.0
ATTEMPTS_APART_S = 0.25
MOST_ATTEMPTS = 8  # addresses of one name
_PIECE_BYTES = 16 * 1024

# The network whose addresses contain an IPv4 address in their last 32 bits (RFC 6052).
_TRANSLATED = IPv6Network("64:ff9b::/96")
# Networks that lead nowhere or to a nearby machine, which not every Python version knows
# (https://www.iana.org/assignments/iana-ipv4-special-registry, and the one for IPv6).
_NOT_PUBLIC = [
    ip_network(each)
    for each in (
        "192.0.0.0/24",  # protocols; in Oracle's cloud, 192.0.0.192 gives out credentials
        "192.88.99.0/24",  # the nearest 6to4 relay
        "168.63.129.16",  # the machine's host in Microsoft's cloud
        "64:ff9b:1::/48",  # translated as the network's operator chooses
        "2001::/23",  # protocols
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
    )
]


class Reach(Enum):
    """Which addresses may be connected to."""

    PUBLIC = "public"
    PUBLIC_OR_LOOPBACK = "public or loopback"
    ANY = "any"


def is_allowed(host: str, reach: Reach) -> bool:
    """Return whether an IP address may be connected to; names never, unless any address may."""
    ip = find_ip(host)
    if reach is Reach.ANY or ip is None:
        return reach is Reach.ANY
    return is_public(ip) or (reach is Reach.PUBLIC_OR_LOOPBACK and ip.is_loopback)


def find_ip(host: str) -> IPv4Address | IPv6Address | None:
    """Parse an IP address; return the IPv4 address if an IPv6 address contains one."""
    try:
        ip = ip_address(host.partition("%")[0])  # without an IPv6 scope
    except ValueError:
        return None
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _TRANSLATED:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip


def is_public(ip: IPv4Address | IPv6Address) -> bool:
    if isinstance(ip, IPv6Address) and (ip.teredo or ip.is_site_local):
        return False
    if any(ip in network for network in _NOT_PUBLIC):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


class RequestFailed(Exception):
    """There was no usable answer; the text says why, without the address, which may be secret."""


class AnswerTooLarge(RequestFailed):
    """The answer has more bytes than allowed."""


class TargetRefused(ConnectionError):
    """A name resolves only to addresses that aren't allowed."""


_FAILURES = (
    *(OSError, ValueError),
    *(httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError),
)
# Among other causes, these show that the server has closed an idle connection.
_HUNG_UP = (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError)
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (
        TargetRefused,
        "its address is inside the operator's network, which needs ALLOW_PRIVATE_TARGETS=1",
    ),
    (TimeoutError, "timed out"),
    (httpcore.TimeoutException, "timed out"),
    (socket.gaierror, "its name could not be resolved"),
    (ConnectionRefusedError, "the connection was refused"),
    (ssl.SSLError, "its TLS failed"),
    (ValueError, "its address is not valid"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...]  # as received, including repeated ones
    body: bytes

    def list_values(self, name: str) -> list[str]:
        return [value for each, value in self.headers if each.lower() == name.lower()]

    @property
    def retry_after_s(self) -> int | None:
        """The seconds in Retry-After; None if it's absent or a date."""
        raw = "".join(self.list_values("Retry-After"))
        return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else None


class _Bounds:
    """The remaining time and bytes of one request."""

    def __init__(self, timeout_s: Seconds, max_bytes: int) -> None:
        self.received_bytes = 0
        self.has_connected = False  # or tried to
        self._ends_at = time.monotonic() + timeout_s
        self._max_bytes = max_bytes

    def compute_left_s(self) -> Seconds:
        """Raises RequestFailed when the time is up."""
        left_s = self._ends_at - time.monotonic()
        if left_s <= 0:
            raise RequestFailed("timed out")
        return left_s

    def count(self, read: bytes) -> bytes:
        """Raises AnswerTooLarge."""
        self.received_bytes += len(read)
        if self.received_bytes > self._max_bytes:
            raise AnswerTooLarge(f"the answer is larger than {self._max_bytes:,} bytes")
        return read


# Of this thread's request: httpcore reads and writes in the thread that makes the request.
_bounds: ContextVar[_Bounds] = ContextVar("_bounds")


class _Stream(httpcore.NetworkStream):
    """A connection, limited by the bounds of the request that's using it."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        bounds = _bounds.get()
        return bounds.count(self._stream.read(max_bytes, bounds.compute_left_s()))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE_BYTES):
            piece = buffer[start : start + _PIECE_BYTES]
            self._stream.write(piece, _bounds.get().compute_left_s())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> "_Stream":
        left_s = _bounds.get().compute_left_s()
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left_s))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    """Connects only to the allowed addresses of a name.

    They're checked here, where the connection opens, so a name that resolves differently the
    second time can't get around the check.
    """

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> _Stream:
        bounds = _bounds.get()
        bounds.has_connected = True
        found = _look_up(host, port, bounds.compute_left_s())
        ips = [str(address[0]) for *_, address in found]
        allowed = [ip for ip in ips if is_allowed(ip, self._reach)][:MOST_ATTEMPTS]
        if not allowed:
            raise TargetRefused
        connect = partial(super().connect_tcp, port=port, timeout=bounds.compute_left_s())
        return _Stream(_connect_to_first(connect, allowed))


def _look_up(host: str, port: int, timeout_s: Seconds) -> Sequence[Any]:
    """Return a name's addresses, found by a daemon, since nothing ends a lookup that hangs."""
    lookup: Future[Sequence[Any]] = Future()

    def run() -> None:
        try:
            lookup.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            lookup.set_exception(error)

    Thread(target=run, name="name lookup", daemon=True).start()
    return lookup.result(timeout_s)


def _connect_to_first(
    connect: Callable[[str], httpcore.NetworkStream], ips: Sequence[str]
) -> httpcore.NetworkStream:
    """Return the first connection that opens; attempts start ATTEMPTS_APART_S apart (RFC 8305)."""
    waiting = deque(ips)
    running: set[Future[httpcore.NetworkStream]] = set()
    failure: BaseException = TargetRefused()
    executor = ThreadPoolExecutor(len(ips))
    try:
        while waiting or running:
            if waiting:
                running.add(executor.submit(connect, waiting.popleft()))
            done, _ = concurrent.futures.wait(
                running, ATTEMPTS_APART_S if waiting else None, "FIRST_COMPLETED"
            )
            for attempt in done:
                running.remove(attempt)
                error = attempt.exception()
                if error is None:
                    return attempt.result()
                failure = error
    finally:
        for attempt in running:  # the others, which may still open
            attempt.add_done_callback(_close)
        executor.shutdown(wait=False, cancel_futures=True)
    raise failure


def _close(attempt: Future[httpcore.NetworkStream]) -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().close()


@cache
def _make_tls_context() -> ssl.SSLContext:
    """Trust the system's authorities and the usual ones; made once, since it takes 60 ms."""
    return httpcore.default_ssl_context()


class Client:
    """Sends requests and keeps some connections open for the next ones; threads may share it."""

    def __init__(self, reach: Reach) -> None:
        self._pool = httpcore.ConnectionPool(
            _make_tls_context(),
            max_connections=None,
            max_keepalive_connections=MOST_IDLE,
            keepalive_expiry=LONGEST_IDLE_S,
            network_backend=_Backend(reach),
        )
        self._is_closed = False
        weakref.finalize(self, self._pool.close)

    def close(self) -> None:
        """Close idle connections now, and the others when their requests end."""
        self._is_closed = True
        for connection in self._pool.connections:
            if connection.is_idle():
                connection.close()

    def request(
        self,
        method: str,
        url: str,
        body: bytes = b"",
        *,
        headers: Mapping[str, str],
        timeout_s: Seconds,
        max_bytes: int,
    ) -> Answer:
        """Return the answer, even if it's a redirect.

        `timeout_s` limits the whole request, `max_bytes` the whole answer as sent, including its
        head. A request is sent again if the server closes a reused connection instead of
        answering, so it must be harmless if it arrives twice.
        Raises RequestFailed.
        """
        bounds = _Bounds(timeout_s, max_bytes)
        token = _bounds.set(bounds)
        try:
            while True:
                try:
                    return self._ask(method, urlsplit(url), body, headers)
                except _HUNG_UP:
                    # A connection that looks open before it's reused may still be closed.
                    if bounds.has_connected or bounds.received_bytes:
                        raise
        except _FAILURES as failure:
            raise RequestFailed(explain(failure)) from None
        finally:
            _bounds.reset(token)
            if self._is_closed:
                self.close()

    def _ask(
        self, method: str, url: SplitResult, body: bytes, headers: Mapping[str, str]
    ) -> Answer:
        host = (url.hostname or "").encode("idna")
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        sent = {
            "Host": url.netloc.rpartition("@")[2].encode("idna").decode(),
            "Accept-Encoding": "identity",
            **_authorize(url),
            **headers,
        }
        with self._pool.stream(
            method,
            httpcore.URL(scheme=url.scheme, host=host, port=url.port, target=target),
            headers=list(sent.items()),
            content=body if method == "POST" else None,
        ) as response:
            read = tuple((a.decode("latin-1"), b.decode("latin-1")) for a, b in response.headers)
            return Answer(response.status, read, response.read())


def _authorize(url: SplitResult) -> dict[str, str]:
    """Return the header for a user and password in an address, such as an RPC server's."""
    if url.username is None:
        return {}
    user = f"{unquote(url.username)}:{unquote(url.password or '')}"
    return {"Authorization": f"Basic {b64encode(user.encode()).decode()}"}


def explain(failure: BaseException) -> str:
    """Return why a connection to a server failed, without the address."""
    causes = list(_list_causes(failure))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {cause.verify_message}".rstrip(".")
        if isinstance(cause, ssl.SSLError) and cause.reason == "WRONG_VERSION_NUMBER":
            return "it does not speak TLS at this port"
    for kind, reason in _REASONS:
        if any(isinstance(cause, kind) for cause in causes):
            return reason
    return "the connection failed"


def _list_causes(failure: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = failure
    while cause is not None:
        yield cause
        # httpcore passes the socket's exception as an argument.
        yield from (each for each in cause.args if isinstance(each, BaseException))
        cause = cause.__cause__ or cause.__context__
