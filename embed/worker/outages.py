"""What is away for a while is logged once when that begins, and once when it ends."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)


class Outage:
    """Watches calls of something that may be away, from all threads."""

    def __init__(self, what: str, *errors: type[Exception]) -> None:
        """`what` begins the sentences in the log; `errors` are those that mean it is away."""
        self.errors = errors
        self._what = what
        self._lock = threading.Lock()
        self._is_away = False
        self._began_at = self._answered_at = 0.0

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Log the beginning or the end of an outage, and let errors through."""
        asked_at = time.monotonic()
        try:
            yield
        except self.errors as error:
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
            "%s does not answer (%s). It is tried again until it does.",
            self._what,
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
        _log.warning("%s answers again.", self._what)
