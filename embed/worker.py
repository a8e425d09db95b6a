"""The background work of a ``flask worker`` or gunicorn process.

Only the process with the lease does it. Work is claimed before it runs, so if two processes briefly
both believe they have the lease, nothing is done twice.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from peewee import InterfaceError, OperationalError, PeeweeException

from embed.db.connection import db
from embed.db.schema_version import OtherVersion, upgrade_until_done
from embed.db.work_status import (
    Kind,
    claim_job,
    hold_lease,
    list_waiting_jobs,
    release_lease,
    report_job,
)
from embed.domain.identifiers import make_id
from embed.errors import InvalidInput, NotFound
from embed.logs.context import working_on_task
from embed.maintenance.pruning import prune, summarize
from embed.notifications.delivery import deliver, find_due_receivers
from embed.runtime import Runtime
from embed.settings import Settings
from embed.wallets import balance_refresh
from embed.wallets.listings import update_listings

EXTENSION = "embed.jobs"  # the jobs' key in app.extensions
THREADS = 4
LOOK_S = 1.0  # how often a process checks what's due
_PAUSE_S = 10.0  # after an unexpected error
_LONGEST_FAILURE = 300  # stored characters

# Errors whose text is safe to show to everyone: sentences without addresses or secrets.
KNOWN_ERRORS = (InvalidInput, NotFound, balance_refresh.RefreshFailed)

_log = logging.getLogger(__name__)

# Long jobs call it between steps, outside of transactions. It raises Stopped to end the job.
CheckStop = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    every: timedelta  # from start to start
    run: Callable[[Runtime, CheckStop], str]  # returns a sentence about what it did


def list_jobs(settings: Settings) -> tuple[Job, ...]:
    """Return the service's own recurring jobs; delivering messages isn't one of them."""
    jobs = (
        Job("listings", timedelta(minutes=1), lambda runtime, _: update_listings(runtime.clock())),
        Job("prune", timedelta(hours=1), _prune),
    )
    if not settings.uses_chain:
        return jobs
    every = balance_refresh.choose_interval(settings.balance_refresh)
    return (Job("balances", every, balance_refresh.run_job), *jobs)


def _prune(runtime: Runtime, check_stop: CheckStop) -> str:
    pruned = prune(runtime.clock(), runtime.settings, check_stop)
    return summarize(pruned)


class Stopped(Exception):
    """The job must end because its process is stopping or has lost the lease."""


class Background:
    """A thread that checks what's due, and up to four at a time that do the work."""

    def __init__(
        self,
        runtime: Runtime,
        jobs: Sequence[Job],
        kind: Kind,
        *,
        begin: Callable[[], None] | None = None,
    ) -> None:
        """`begin` is called once before any work, when the database is at this version."""
        self._runtime = runtime
        self._chain = runtime.chain  # created here, since threads share it
        self._jobs = jobs
        self._kind: Kind = kind
        self._begin = begin
        self._holder, self._started_at = make_id(), runtime.clock()
        self._is_leader = self._is_database_away = False
        self._is_stopping = threading.Event()
        self._wake = threading.Event()
        self._finish_by = 0.0
        self._running: set[str] = set()  # names of jobs and ids of receivers
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self) -> None:
        """Start the work as soon as the database is available; never raises if it isn't."""
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def stop(self, finish_s: float) -> None:
        """Stop, waiting up to `finish_s` for running tasks; unfinished ones are redone later."""
        self._finish_by = time.monotonic() + finish_s
        self._is_stopping.set()
        self._wake.set()
        self._thread.join(finish_s + 1)

    def _run(self) -> None:
        try:
            upgrade_until_done(wait=self._is_stopping.wait)
            while not self._is_stopping.is_set():
                self._wake.clear()
                self._look()
                self._wake.wait(LOOK_S)
        except OtherVersion as error:
            _log.error("%s", error)
        finally:
            self._end()

    def _look(self) -> None:
        """Start what's due, and log the start and the end of a database outage."""
        try:
            if self._begin is not None:
                self._begin()
                self._begin = None
            if self._kind == "worker" or self._runtime.settings.background == "gunicorn":
                self._is_leader = hold_lease(
                    self._holder, self._kind, self._started_at, self._runtime.clock()
                )
            if self._is_leader:
                self._start_due()
        except (OperationalError, InterfaceError) as error:
            db.close()  # the next look connects again
            if not self._is_database_away:  # only the error's type: its text may contain addresses
                _log.warning(
                    "The background work's database does not answer (%s). Retrying until it does.",
                    type(error).__name__,
                )
            self._is_database_away = True
        except Exception:  # a bug must not end all background work
            _log.exception("The background work was interrupted.")
            db.close()
            self._is_stopping.wait(_PAUSE_S)
        else:
            if self._is_database_away:
                _log.info("The background work's database answers again.")
            self._is_database_away = False

    def _start_due(self) -> None:
        waiting = list_waiting_jobs(self._runtime.clock())
        for job in self._jobs:
            if job.name not in waiting and self._has_place_for(job.name):
                self._start(job.name, self._run_job, job)
        for receiver_id in find_due_receivers(self._runtime.clock()):
            if self._has_place_for(receiver_id):
                self._start(
                    receiver_id, deliver, receiver_id, self._runtime, self._is_stopping.is_set
                )

    def _has_place_for(self, name: str) -> bool:
        return name not in self._running and len(self._running) < THREADS

    def _start(self, name: str, do: Callable[..., None], *arguments: object) -> None:
        """Run `do` in its own thread.

        Not in a ThreadPoolExecutor: the interpreter waits for its threads at exit, so a receiver
        that doesn't answer would delay the end of gunicorn's process.
        """
        thread = threading.Thread(
            target=self._do, args=(name, do, *arguments), name="task", daemon=True
        )
        self._running.add(name)
        try:
            thread.start()
        except RuntimeError:  # the system doesn't allow more threads
            self._running.discard(name)
            raise

    def _do(self, name: str, do: Callable[..., None], *arguments: object) -> None:
        with working_on_task(name):
            try:
                do(*arguments)
            except (OperationalError, InterfaceError) as error:
                _log.warning("The database did not answer (%s).", type(error).__name__)
            except BaseException:  # no error may end the process's work
                _log.exception("The background task %s was interrupted.", name)
            finally:
                db.close()
                self._running.discard(name)
                self._wake.set()

    def _run_job(self, job: Job) -> None:
        started_at = self._runtime.clock()
        if not claim_job(job.name, job.every, started_at):
            return
        try:
            summary = job.run(self._runtime, self._check_stop)
        except Stopped:
            report_job(job.name, due_at=None)
        except Exception as error:  # any job can fail in any way
            failure = _describe(error)
            # A known error's text is enough, in one line: the chain may be unavailable for hours.
            exc_info = None if isinstance(error, KNOWN_ERRORS) else error
            _log.error("The background task %s failed: %s", job.name, failure, exc_info=exc_info)
            report_job(job.name, failed_at=self._runtime.clock(), failure=failure)
        else:
            now = self._runtime.clock()
            report_job(job.name, finished_at=now, summary=summary, failed_at=None, failure=None)

    def _check_stop(self) -> None:
        if self._is_stopping.is_set() or not self._is_leader:
            raise Stopped

    def _end(self) -> None:
        if self._is_stopping.is_set() and self._chain is not None:
            self._chain.stop()  # a call may wait for minutes before its next attempt
        while self._running and time.monotonic() < self._finish_by:
            self._wake.wait(0.05)
            self._wake.clear()
        with suppress(PeeweeException):  # it expires by itself
            release_lease(self._holder)
        db.close()


def _describe(error: Exception) -> str:
    """Return one line that's safe to show to everyone; unknown errors may contain secrets."""
    if isinstance(error, (OperationalError, InterfaceError)):
        return "The database did not answer."
    if isinstance(error, KNOWN_ERRORS):
        return " ".join(str(error).split())[:_LONGEST_FAILURE]
    return "It ended unexpectedly; see the log."
