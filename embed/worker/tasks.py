"""Running tasks: each under a lease, with a report of how it went."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from peewee import InterfaceError, OperationalError, PeeweeException

from embed.db.connection import db
from embed.db.leases import release_lease
from embed.db.models import Job
from embed.logs.work import working_on_task
from embed.runtime import Runtime
from embed.worker.jobs import KeyedJob, PeriodicJob, Work
from embed.worker.outages import Outage
from embed.worker.task_leases import LeaseLost, TaskLease, start_task

_LONGEST_FAILURE = 300  # characters that are kept

_log = logging.getLogger(__name__)


class TaskRunner:
    """Runs the tasks of a process, in the threads of its consumer."""

    def __init__(
        self,
        runtime: Runtime,
        work: Work,
        process_id: str,
        outage: Outage,
        on_end: Callable[[], object],
    ) -> None:
        self._runtime = runtime
        self._work = work
        self._process_id = process_id
        self._outage = outage
        self._on_end = on_end
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._running: set[TaskLease] = set()
        self._unreported: set[tuple[str, str]] = set()  # names of tasks, and who leased them

    def stop(self) -> None:
        """Let every task end when it next calls its KeepAlive."""
        self._stopping.set()

    def count_running(self, job: KeyedJob) -> int:
        with self._lock:
            return sum(lease.name.startswith(f"{job.name} ") for lease in self._running)

    def renew_leases(self) -> None:
        """Renew those of tasks that still give signs of life."""
        with self._lock:
            running = list(self._running)
        for lease in running:
            lease.renew_if_alive()

    def release_unreported(self) -> None:
        """Release the leases of tasks that an outage of the database ended."""
        with self._lock:
            unreported = list(self._unreported)
        for name, holder in unreported:
            release_lease(name, holder)
            release_lease(name, _name_runner(holder))
            with self._lock:
                self._unreported.discard((name, holder))

    def run(self, name: str, holder: str) -> None:
        """Run the task that `holder` leased, unless the lease was lost since."""
        try:
            with working_on_task(name):
                self._run_watched(name, holder)
        finally:
            db.close()
            self._on_end()

    def _run_watched(self, name: str, holder: str) -> None:
        try:
            with self._outage.watch():
                self._run(name, holder)
        except PeeweeException:
            # The outage is logged. The task is done again when its lease is released or over.
            _log.debug("The task %s has no report.", name, exc_info=True)
            with self._lock:
                self._unreported.add((name, holder))
        except BaseException:  # whatever a job raises must not end the thread
            _log.exception("The task %s ended without a report.", name)

    def _run(self, name: str, holder: str) -> None:
        act = self._find_action(name)
        if self._stopping.is_set() or act is None:  # None: another version enqueued it
            release_lease(name, holder)
            return
        lease = TaskLease(
            name,
            _name_runner(holder),
            clock=self._runtime.clock,
            timing=self._work.timing,
            stopping=self._stopping,
        )
        before = start_task(lease, holder)
        if before is None:
            return
        with self._lock:
            self._running.add(lease)
        try:
            self._act(act, lease, before)
        finally:
            with self._lock:
                self._running.discard(lease)

    def _act(self, act: Callable[[TaskLease], str | None], lease: TaskLease, before: Job) -> None:
        try:
            summary = act(lease)
        except LeaseLost:
            release_lease(lease.name, lease.holder)  # if it ends because the process does
        except Exception as error:  # every job may fail in its own way
            self._report_failure(lease, error, before)
        else:
            self._report_success(lease, summary)

    def _find_action(self, name: str) -> Callable[[TaskLease], str | None] | None:
        for periodic in self._work.periodic:
            if periodic.name == name:
                run = periodic.run
                return lambda lease: run(self._runtime, lease.keep_alive)
        kind, _, key = name.partition(" ")
        for keyed in self._work.keyed:
            if keyed.name == kind and key:
                run_for = keyed.run
                return lambda lease: run_for(key, self._runtime, lease.should_stop)
        return None

    def _report_success(self, lease: TaskLease, summary: str | None) -> None:
        period = find_period(self._work, lease.name)
        now = self._runtime.clock()
        due_at = None if period is None else max(lease.started_at + period, now)
        lease.end(finished_at=now, summary=summary, failed_at=None, failure=None, due_at=due_at)

    def _report_failure(self, lease: TaskLease, error: Exception, before: Job) -> None:
        _log.error("The background task %s failed.", lease.name, exc_info=error)
        now = self._runtime.clock()
        longest = find_longest_wait(self._work, lease.name)
        wait = choose_wait(before, first=self._work.timing.first_wait, longest=longest)
        failure = describe_failure(error, self._work.known_errors)
        lease.end(failed_at=now, failure=failure, due_at=now + wait)


def _name_runner(holder: str) -> str:
    """Return who holds the lease of a task that runs, after `holder`, who enqueued it."""
    return f"{holder}.runs"


def find_period(work: Work, name: str) -> timedelta | None:
    return next((job.every for job in work.periodic if job.name == name), None)


def find_longest_wait(work: Work, name: str) -> timedelta:
    """Return after which time at most a failed task is tried again."""
    jobs: tuple[PeriodicJob | KeyedJob, ...] = (*work.periodic, *work.keyed)
    job = next(job for job in jobs if job.name == name.partition(" ")[0])
    return job.every if isinstance(job, PeriodicJob) else job.longest_wait


def choose_wait(before: Job, *, first: timedelta, longest: timedelta) -> timedelta:
    """Return how long to wait after a failure: twice as long as after the one before it."""
    failed_at: datetime | None = before.failed_at
    due_at: datetime | None = before.due_at
    if failed_at is None or due_at is None:
        return min(first, longest)
    return min(max(2 * (due_at - failed_at), first), longest)


def describe_failure(error: Exception, known: tuple[type[Exception], ...]) -> str:
    """Return one line that may be shown to everybody; unknown texts may hold secrets."""
    if isinstance(error, (OperationalError, InterfaceError)):
        return "The database did not answer."
    if isinstance(error, known):
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return text[:_LONGEST_FAILURE]
    return f"{type(error).__name__}; the log has more."
