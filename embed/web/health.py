"""Health checks: whether this process answers, and whether it can do its work.

They answer only yes or no, since strangers may ask too.
"""

import logging
import threading
from contextlib import suppress
from contextvars import Context
from datetime import datetime
from time import monotonic

from flask import Flask, Response
from peewee import PeeweeException

from embed.db.connection import db
from embed.db.schema_version import OtherVersion, check_version, list_missing_migrations
from embed.db.work_status import find_lease
from embed.web.current import runtime

_RETRY_AFTER_S = 5
_FRESH_S = 1.0  # how long an answer is reused
_LIMIT_S = 2.0  # a slower database counts as not answering
# Time for the next worker to take over: there's a gap between two workers.
_WORKER_GRACE_S = 30.0

_log = logging.getLogger(__name__)


def init_health(app: Flask) -> None:
    readiness = Readiness()

    @app.get("/healthz")
    def healthz() -> Response:
        """Report that this process answers, without checking anything else."""
        return _answer(is_well=True)

    @app.get("/readyz")
    def readyz() -> Response:
        return _answer(is_well=readiness.is_ready(runtime().clock()))


def _answer(*, is_well: bool) -> Response:
    response = Response("yes\n" if is_well else "no\n", mimetype="text/plain")
    response.headers["Cache-Control"] = "no-store"
    if not is_well:
        response.status_code = 503
        response.headers["Retry-After"] = str(_RETRY_AFTER_S)
    return response


class Readiness:
    """Check that everything is in place, in a separate thread with its own connection.

    Callers wait no longer than the limit, even if the database hangs. Rate limits aren't checked:
    without the shared ones, each process counts for itself.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = threading.Thread()
        self._asked_at = self._worked_at = float("-inf")
        self._found: tuple[str | None, str] = None, ""
        self._logged: str | None = None

    def is_ready(self, now: datetime) -> bool:
        """Return whether nothing is missing, within two seconds."""
        problem, detail = self._ask(now)
        with self._lock:
            is_logged, self._logged = problem == self._logged, problem
        if not is_logged:
            # Not logged for this request, whose words the log would remove as secrets.
            Context().run(_log_change, problem, detail)
        return problem is None

    def _ask(self, now: datetime) -> tuple[str | None, str]:
        """Return what is missing, if anything, and what the database says about it."""
        with self._lock:
            if not self._thread.is_alive() and monotonic() >= self._asked_at + _FRESH_S:
                self._asked_at = monotonic()
                # It may hang, and the process would wait at exit for a ThreadPoolExecutor's thread.
                self._thread = threading.Thread(
                    target=self._look, args=(now,), name="readiness", daemon=True
                )
                self._thread.start()
            thread = self._thread
        thread.join(max(0.0, self._asked_at + _LIMIT_S - monotonic()))
        if thread.is_alive():
            return f"The database has not answered for {_LIMIT_S:.0f} seconds.", ""
        return self._found

    def _look(self, now: datetime) -> None:
        try:
            self._found = self._find_problem(now), ""
        except OtherVersion as error:
            self._found = str(error), ""
        except Exception as error:  # whatever it is, the answer is no
            self._found = "The database cannot answer.", " ".join(str(error).split())
        finally:
            with suppress(PeeweeException):
                db.close()

    def _find_problem(self, now: datetime) -> str | None:
        check_version()
        missing = list_missing_migrations()
        if missing:
            return f"The database has not been upgraded: {', '.join(missing)}."
        if find_lease(now) is not None:
            self._worked_at = monotonic()
        elif monotonic() - self._worked_at >= _WORKER_GRACE_S:
            return "The background work isn't running."
        return None


def _log_change(problem: str | None, detail: str) -> None:
    if problem is None:
        _log.info("Ready.")
    else:
        _log.warning("Not ready. %s", f"{problem} {detail}".rstrip())
