"""Health checks: whether this process answers, and whether it can do its work.

They answer only yes or no, since strangers may ask too.
"""

import logging
import threading
from concurrent.futures import Future
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
        self._answer: Future[str | None] | None = None  # what is missing
        self._asked_at = 0.0
        self._worked_at = float("-inf")
        self._problem: str | None = None  # the last one logged

    def is_ready(self, now: datetime) -> bool:
        """Return whether nothing is missing, within two seconds."""
        problem, detail = self._ask(now)
        with self._lock:
            is_known, self._problem = problem == self._problem, problem
        if not is_known:
            # Not logged for this request, whose words the log would remove as secrets.
            Context().run(_log_change, problem, detail)
        return problem is None

    def _ask(self, now: datetime) -> tuple[str | None, str]:
        """Return what is missing, if anything, and what the database says about it."""
        answer = self._begin(now)
        try:
            return answer.result(max(0.0, self._asked_at + _LIMIT_S - monotonic())), ""
        except TimeoutError:
            return f"The database has not answered for {_LIMIT_S:.0f} seconds.", ""
        except OtherVersion as error:
            return str(error), ""
        except Exception as error:  # whatever it is, the answer is no
            return "The database cannot answer.", " ".join(str(error).split())

    def _begin(self, now: datetime) -> Future[str | None]:
        """Return the answer that is pending or fresh, else start a new one."""
        with self._lock:
            answer = self._answer
            if answer is None or (answer.done() and monotonic() >= self._asked_at + _FRESH_S):
                self._answer = answer = Future()
                self._asked_at = monotonic()
                # It may hang, and the process would wait at exit for a ThreadPoolExecutor's thread.
                threading.Thread(
                    target=self._look, args=(answer, now), name="readiness", daemon=True
                ).start()
            return answer

    def _look(self, answer: Future[str | None], now: datetime) -> None:
        try:
            answer.set_result(self._find_problem(now))
        except Exception as error:
            answer.set_exception(error)

    def _find_problem(self, now: datetime) -> str | None:
        try:
            check_version()
            missing = list_missing_migrations()
            if missing:
                return f"The database has not been upgraded: {', '.join(missing)}."
            if find_lease(now) is not None:
                self._worked_at = monotonic()
            elif monotonic() - self._worked_at >= _WORKER_GRACE_S:
                return "The background work isn't running."
            return None
        finally:
            with suppress(PeeweeException):
                db.close()


def _log_change(problem: str | None, detail: str) -> None:
    if problem is None:
        _log.info("Ready.")
    else:
        _log.warning("Not ready. %s", f"{problem} {detail}".rstrip())
