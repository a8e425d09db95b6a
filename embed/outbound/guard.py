"""What connections to others may reach, how long they may take, and how much they may answer.

All is decided when a connection opens, whichever library opens it, so neither a redirect nor a
name that resolves differently the second time gets around it. Python's audit events tell of it
(https://docs.python.org/3/library/audit_events.html); no library is changed for that.
"""

import os
import socket
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import requests

from embed.outbound.received import bound_http, bound_mail

# Networks whose addresses hold an IPv4 address in their last 32 bits (RFC 6052, RFC 8215).
_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_OPENING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_HTTP, _MAIL = "http.client.connect", "smtplib.connect"


class Reach(Enum):
    """Which addresses a connection may open."""

    PUBLIC = "public"
    PUBLIC_OR_LOOPBACK = "public or loopback"
    ANY = "any"


class TargetRefused(ConnectionError):
    """A connection was about to open to an address that it may not reach."""


class Guard:
    """What `guarded` yields: the state of its block."""

    def __init__(self, reach: Reach, kept: Iterable[socket.socket], max_bytes: int) -> None:
        self.reach = reach
        self.max_bytes = max_bytes
        self._received_bytes = 0
        self.has_opened = False  # or tried to
        self._expired = threading.Event()
        self._lock = threading.Lock()
        self._sockets = list(kept)

    @property
    def is_expired(self) -> bool:
        return self._expired.is_set()

    @property
    def is_exceeded(self) -> bool:
        """Tell whether more than `max_bytes` were received."""
        return self._received_bytes > self.max_bytes

    def wait(self, wait_s: float) -> None:
        """Raises TimeoutError as soon as the guard has expired."""
        if self._expired.wait(wait_s):
            raise TimeoutError("The time is up.")

    def check_opening(self, opened: socket.socket, address: Any) -> None:
        """Raises TargetRefused, as `count` does, and TimeoutError after the guard has expired."""
        if not is_allowed(address, self.reach):
            raise TargetRefused("This address may not be reached.")
        self.count(0)
        with self._lock:
            if self.is_expired:
                raise TimeoutError("The time is up.")
            self.has_opened = True
            # A duplicate reaches the connection even after TLS has taken the socket over.
            self._sockets.append(socket.socket(fileno=os.dup(opened.fileno())))

    def count(self, received: int) -> None:
        """Raises requests.ConnectionError, an OSError, which all libraries expect."""
        self._received_bytes += received
        if self.is_exceeded:
            raise requests.ConnectionError("The answers are too large.")

    def expire(self) -> None:
        """End every connection, whatever waits on it."""
        with self._lock:
            self._expired.set()
            for each in self._sockets:
                with suppress(OSError):  # not connected, or closed by the other side
                    each.shutdown(socket.SHUT_RDWR)

    def release(self, kept: list[socket.socket] | None) -> None:
        """Close the duplicates, except the newest if `kept` is there to hold it."""
        with self._lock:
            if kept is not None:
                kept[:] = self._sockets[-1:]
                del self._sockets[-1:]
            close_all(self._sockets)


def close_all(sockets: list[socket.socket]) -> None:
    """Close sockets, and empty the list."""
    while sockets:
        sockets.pop().close()


_current: ContextVar[Guard | None] = ContextVar("_current", default=None)


def _count(received: int) -> None:
    """Count for the block that reads: a connection may outlast the one that opened it."""
    guard = _current.get()
    if guard is not None:
        guard.count(received)


def _check_event(
    event: str,
    arguments: tuple[Any, ...],
    # At its end the interpreter sets a module's names to None, and events still come then.
    opening: frozenset[str] = _OPENING,
    watched: frozenset[str] = _OPENING | {_HTTP, _MAIL},
    current: ContextVar[Guard | None] = _current,
) -> None:
    if event not in watched or (guard := current.get()) is None:
        return
    if event in opening:
        guard.check_opening(*arguments[:2])
    else:
        bound = bound_http if event == _HTTP else bound_mail
        bound(arguments[0], _count)


# Audit hooks stay as long as the process: https://docs.python.org/3/library/sys.html#sys.addaudithook
sys.addaudithook(_check_event)


@contextmanager
def guarded(
    *,
    reach: Reach,
    timeout_s: float,
    max_bytes: int,
    kept: list[socket.socket] | None = None,
) -> Iterator[Guard]:
    """Let this thread connect only to what `reach` names, and end its connections in time.

    Connecting elsewhere raises TargetRefused. When the time is up, every connection that was
    opened in the block is shut down, and none opens any more: TimeoutError. Resolving a name
    is not interrupted. Threads that the block starts are not guarded.

    `max_bytes` bounds what http.client and smtplib, and so `requests`, receive in the block, all
    together: heads and whatever frames an answer count as well, and once more what `requests`
    unpacks. Beyond it a connection fails, and none opens any more.

    `kept` lets a connection outlast the block: it then holds a duplicate of the socket that was
    opened last. A later block that is given the same list ends that connection in time, too. The
    connection stays open until the duplicate is closed as well, which is up to the caller.
    """
    guard = Guard(reach, kept or (), max_bytes)
    timer = threading.Timer(timeout_s, guard.expire)
    timer.daemon = True
    timer.start()
    token = _current.set(guard)
    try:
        yield guard
    finally:
        _current.reset(token)
        timer.cancel()
        guard.release(kept)


def wait(wait_s: float) -> None:
    """Sleep; raises TimeoutError when the time of the innermost `guarded` block is over."""
    guard = _current.get()
    if guard is None:
        time.sleep(wait_s)
    else:
        guard.wait(wait_s)


def is_allowed(address: Any, reach: Reach) -> bool:
    """Tell whether a socket's address may be opened: no socket files, and no unresolved names."""
    if reach is Reach.ANY:
        return True
    if not isinstance(address, tuple):
        return False
    ip = find_ip(address[0])
    if ip is None:
        return False
    return is_public(ip) or (reach is Reach.PUBLIC_OR_LOOPBACK and ip.is_loopback)


def find_ip(host: Any) -> IPv4Address | IPv6Address | None:
    """Return the address that a text is, an IPv4 address where an IPv6 address holds one."""
    try:
        ip = ip_address(str(host).partition("%")[0])  # without the scope of IPv6
    except ValueError:
        return None
    if isinstance(ip, IPv4Address):
        return ip
    if any(ip in network for network in _TRANSLATED):
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip


def is_public(ip: IPv4Address | IPv6Address) -> bool:
    if isinstance(ip, IPv6Address) and (ip.teredo or ip.is_site_local):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)
