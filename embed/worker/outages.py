"""While the database is away, that is logged once when it begins, and once when it ends."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from peewee import InterfaceError, OperationalError

ERRORS = (OperationalError, InterfaceError)  # what says that the database is away

_log = logging.getLogger(__name__)


class Outage:
    """Watches what asks the database, from all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_away = False
        self._began_at = self._answered_at = 0.0

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Log the beginning or the end of an outage, and let errors through."""
        asked_at = time.monotonic()
        try:
            yield
        except ERRORS as error:
            self._note_failure(asked_at, error)
            raise
        self._note_answer(asked_at)

    def _note_failure(self, asked_at: float, error: Exception) -> None:
        with self._lock:
            # Another thread was answered since this one asked, so the outage is over.
            if self._is_away or asked_at < self._answered_at:
                return
            self._is_away, self._began_at = True, time.monotonic()
        # Only the kind of error: its text may hold addresses.
        _log.warning(
            "The database of the background work does not answer (%s)."
            " It is tried again until it does.",
            type(error).__name__,
        )

    def _note_answer(self, asked_at: float) -> None:
        with self._lock:
            # This answer may be from before the outage.
            if self._is_away and asked_at < self._began_at:
                return
            self._answered_at = time.monotonic()
            if not self._is_away:
                return
            self._is_away = False
        _log.info("The database of the background work answers again.")
