"""How long a thread waits for a lock that another transaction holds.

Requests are served by a few threads, so that one lock which is held for long would soon have all of
them waiting, and nobody could read any more. So they wait for a shorter time than commands and
background work, and hardly at all for a lock that has kept another thread waiting in vain.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from peewee import OperationalError
from psycopg import errors

_LONGEST_MS = 20_000
_REQUEST_MS = 3_000
_BRIEF_MS = 250

_thread = threading.local()
# Those that were waited for in vain, until somebody gets them: ids of pages, or SQLite's one lock.
_held: set[str] = set()


def serve_requests() -> None:
    """Let this thread wait only as long as one that serves requests should."""
    _thread.longest_ms = _REQUEST_MS


@contextmanager
def waiting_briefly() -> Iterator[None]:
    """Let this thread hardly wait for locks in transactions that begin in the block."""
    _thread.waits_briefly = True
    try:
        yield
    finally:
        _thread.waits_briefly = False


def longest_ms() -> int:
    """Return how many milliseconds this thread waits for a lock, unless it is to wait briefly."""
    wait_ms: int = getattr(_thread, "longest_ms", _LONGEST_MS)
    return wait_ms


def choose_ms() -> int:
    """Return how many milliseconds this thread waits for a lock now."""
    return _BRIEF_MS if _waits_briefly() else longest_ms()


@contextmanager
def waiting_for(lock: str) -> Iterator[int]:
    """Yield how long the block is to wait for the lock; note whether it waited in vain.

    Commands and background work wait as long as ever, as no request waits for their threads.
    """
    try:
        is_request = longest_ms() < _LONGEST_MS
        yield _BRIEF_MS if is_request and lock in _held else choose_ms()
    except OperationalError as error:
        if is_lock_held(error) and not _waits_briefly():
            _held.add(lock)
        raise
    _held.discard(lock)


def _waits_briefly() -> bool:
    return getattr(_thread, "waits_briefly", False)


def is_lock_held(error: OperationalError) -> bool:
    """Tell whether a statement failed because it waited too long for a lock."""
    reason = getattr(error, "orig", None)
    if isinstance(reason, sqlite3.Error):
        return reason.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # the rest says why
    return isinstance(reason, errors.LockNotAvailable)
