"""Whether this process can do its work: the database, its migrations, the background work."""

import logging
import threading
import time
from contextlib import suppress

from peewee import PeeweeException

from embed.db.connection import db
from embed.db.schema_version import NewerDatabase, check_not_newer, list_missing_migrations
from embed.db.work_status import is_anybody_working
from embed.domain.times import Clock

_FRESH_S = 1.0  # how long an answer is given again
_LIMIT_S = 2.0  # a database that takes longer does not answer
# So that the next worker can take over; there is a gap when one ends and another begins.
_WORKER_GRACE_S = 30.0

_log = logging.getLogger(__name__)


class Readiness:
    """Looks whether everything is there, in a thread of its own with a connection of its own.

    So whoever asks waits no longer than the limit, also for a database that hangs. Rate limits
    are no condition: without the shared ones, each process counts for itself.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._look: threading.Event | None = None  # set when the present look has ended
        self._overdue_at = self._next_look_at = 0.0
        self._worked_at = float("-inf")
        self._is_known = False
        self._problem: str | None = None

    def is_ready(self) -> bool:
        """Tell whether nothing is missing, at most two seconds later.

        One caller waits for a look; others get the last answer meanwhile, if there is one.
        """
        with self._lock:
            is_first = self._look is None and time.monotonic() >= self._next_look_at
            look = self._begin_look() if is_first else self._look
            waits = is_first or not self._is_known
        if look is not None and waits:
            look.wait(max(0.0, self._overdue_at - time.monotonic()))
        with self._lock:
            if self._look is not None and time.monotonic() >= self._overdue_at:
                self._note(f"The database has not answered for {_LIMIT_S:.0f} seconds.")
            return self._problem is None

    def _begin_look(self) -> threading.Event:
        look = self._look = threading.Event()
        self._overdue_at = time.monotonic() + _LIMIT_S
        threading.Thread(target=self._run_look, args=(look,), name="readiness", daemon=True).start()
        return look

    def _run_look(self, look: threading.Event) -> None:
        detail = ""
        try:
            problem = self._find_problem()
        except NewerDatabase as error:
            problem = str(error)
        except Exception as error:  # whatever it is, the answer is no
            problem, detail = "The database cannot answer.", " ".join(str(error).split())
        with suppress(PeeweeException):
            db.close()
        with self._lock:
            self._look, self._next_look_at = None, time.monotonic() + _FRESH_S
            self._note(problem, detail)
        look.set()

    def _find_problem(self) -> str | None:
        check_not_newer()
        missing = list_missing_migrations()
        if missing:
            return f"The database has not been upgraded: {', '.join(missing)}."
        if is_anybody_working(self._clock()):
            self._worked_at = time.monotonic()
        elif time.monotonic() - self._worked_at >= _WORKER_GRACE_S:
            return "The background work is not running."
        return None

    def _note(self, problem: str | None, detail: str = "") -> None:
        """Keep the answer, and log it if it is another one than before."""
        if problem == self._problem:
            pass
        elif problem is None:
            _log.warning("Ready.")
        else:
            _log.warning("Not ready. %s", f"{problem} {detail}".rstrip())
        self._problem, self._is_known = problem, True
