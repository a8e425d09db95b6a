"""Tasks: what is due is claimed, then it runs in a thread under its lease, then it is reported."""

import logging
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from peewee import PeeweeException

from embed.db.batches import in_batches
from embed.db.connection import db
from embed.db.leases import claim, is_due, is_leased, release_lease, renew_lease
from embed.db.models import Job
from embed.domain.identifiers import make_id
from embed.logs.context import working_on_task
from embed.runtime import Runtime
from embed.worker.jobs import KNOWN_ERRORS, Jobs, KeyedJob, PeriodicJob
from embed.worker.outages import ERRORS, Outage

# A task that runs for so long without calling its KeepAlive is stuck: its lease is not renewed any
# more, and another may begin.
STUCK_AFTER = timedelta(minutes=10)
FIRST_WAIT = timedelta(seconds=10)  # after a failure; then twice as long each time
_LONGEST_FAILURE = 300  # characters that are kept
_NEVER = datetime.min.replace(tzinfo=UTC)

_log = logging.getLogger(__name__)


class LeaseLost(Exception):
    """The task is to end: another process does it now, or this one stops."""


class Task:
    """A run of a job, whose lease it renews itself, and others for it while it is alive."""

    def __init__(
        self,
        job: PeriodicJob | KeyedJob,
        name: str,
        group: str,
        holder: str,
        *,
        runtime: Runtime,
        lease: timedelta,
        stopping: threading.Event,
    ) -> None:
        self.job = job
        self.name = name
        self.group = group
        self._holder = holder
        self._runtime = runtime
        self._lease = lease
        self._stopping = stopping
        self._started_at = self._renewed_at = self._alive_at = runtime.clock()
        self._is_lost = False

    def claim(self) -> bool:
        """Take its lease, unless another process has it, or did this since it was due."""
        longest_wait = self.job.longest_wait
        return claim(self.name, self._holder, self._started_at, self._lease, longest_wait)

    def run(self) -> str | None:
        if isinstance(self.job, PeriodicJob):
            return self.job.run(self._runtime, self.keep_alive)
        return self.job.run(self.name.partition(" ")[2], self._runtime, self.keep_alive)

    def keep_alive(self) -> None:
        """Show that the task goes on. Raises LeaseLost if it is to end."""
        self._alive_at = now = self._runtime.clock()
        if now - self._renewed_at >= self._lease / 3:
            self._renew(now)
        if self._is_lost or self._stopping.is_set():
            raise LeaseLost(self.name)

    def renew_if_alive(self) -> None:
        """Renew it for a task that is in the midst of a step, but not for one that is stuck."""
        now = self._runtime.clock()
        if now - self._alive_at < STUCK_AFTER and not self._is_lost:
            self._renew(now)

    def _renew(self, now: datetime) -> None:
        self._is_lost = not renew_lease(self.name, self._holder, now, self._lease)
        self._renewed_at = now

    def release(self, **report: Any) -> None:
        """Give the lease back, with the fields that tell what was done; no more if it is lost."""
        release_lease(self.name, self._holder, **report)

    def report_success(self, summary: str | None) -> None:
        now, due_at = self._runtime.clock(), None
        if isinstance(self.job, PeriodicJob):
            due_at = max(self._started_at + self.job.every, now)
        self.release(finished_at=now, summary=summary, failed_at=None, failure=None, due_at=due_at)

    def report_failure(self, failure: str) -> None:
        now = self._runtime.clock()
        wait = choose_wait(Job.get_or_none(Job.name == self.name), self.job.longest_wait)
        self.release(failed_at=now, failure=failure, due_at=now + wait)


def choose_wait(before: Any, longest: timedelta) -> timedelta:
    """Return how long to wait after a failure: twice as long as after the one before it."""
    if before is None or before.failed_at is None or before.due_at is None:
        return min(FIRST_WAIT, longest)
    last: timedelta = before.due_at - before.failed_at
    return min(max(2 * last, FIRST_WAIT), longest)


def describe_failure(error: Exception) -> str:
    """Return one line that may be shown to everybody; unknown texts may hold secrets."""
    if isinstance(error, ERRORS):
        return "The database did not answer."
    if isinstance(error, KNOWN_ERRORS):
        return " ".join(str(error).split())[:_LONGEST_FAILURE]
    return "It ended unexpectedly; the log has more."


class TaskRunner:
    """Claims tasks for this process and runs them; a task's lease decides who gets it."""

    def __init__(
        self,
        runtime: Runtime,
        jobs: Jobs,
        process_id: str,
        *,
        outage: Outage,
        on_free: Callable[[], object],
    ) -> None:
        """`on_free` is called when a task has ended, so that others can begin."""
        self._runtime = runtime
        self._jobs = jobs
        self._process_id = process_id
        self._outage = outage
        self._on_free = on_free
        # When this process last started a task of a group, by job and group, as time.monotonic().
        self._turns: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._stopping = threading.Event()
        self._changed = threading.Condition()  # guards the two sets
        self._running: set[Task] = set()
        self._unreported: set[Task] = set()

    def start_due(self) -> None:
        """Claim and start what is due, as many tasks of each job as may run at once.

        Raises PeeweeException.
        """
        now = self._runtime.clock()
        for job in self._jobs.all:
            self._start_in_turn(job, _find_free(job, now))

    def _start_in_turn(self, job: PeriodicJob | KeyedJob, free: dict[str, str]) -> None:
        """Start tasks, each time of the group that has the fewest, or else was last started first.

        So a group waits for one task of each other group at most, however many keys these have.
        """
        with self._changed:
            running = Counter(task.group for task in self._running if task.job is job)
        while free and running.total() < job.at_once:
            name = min(free, key=lambda one: (running[free[one]], self._turns[job.name, free[one]]))
            group = free.pop(name)
            if self._claim_and_start(job, name, group):
                running[group] += 1
                self._turns[job.name, group] = time.monotonic()

    def _claim_and_start(self, job: PeriodicJob | KeyedJob, name: str, group: str) -> bool:
        """Return False if another process has it."""
        task = Task(
            job,
            name,
            group,
            # Not the process alone: an older task of its own may still hold on to the same name.
            holder=f"{self._process_id}.{make_id()}",
            runtime=self._runtime,
            lease=self._jobs.timing.lease,
            stopping=self._stopping,
        )
        if not task.claim():
            return False
        with self._changed:
            self._running.add(task)
        try:
            self._start(task)
        except RuntimeError:  # no thread can be started; the lease runs out
            self._remove(task)
            raise
        return True

    def _start(self, task: Task) -> None:
        """Run a task in a thread of its own.

        Not in one of a ThreadPoolExecutor: for these, the interpreter waits at its end, so that a
        task in a long call would hold up the end of gunicorn's process.
        """
        threading.Thread(target=self.run, args=(task,), name="task", daemon=True).start()

    def renew_leases(self) -> None:
        """Renew those of tasks that still give signs of life."""
        with self._changed:
            running = list(self._running)
        for task in running:
            task.renew_if_alive()

    def release_unreported(self) -> None:
        """Release the leases of tasks that an outage of the database ended."""
        with self._changed:
            unreported = list(self._unreported)
        for task in unreported:
            task.release()
            with self._changed:
                self._unreported.discard(task)

    def stop(self, timeout_s: float) -> None:
        """Let every task end when it next shows that it goes on; wait so long for that."""
        self._stopping.set()
        with self._changed:
            self._changed.wait_for(lambda: not self._running, timeout_s)

    def run(self, task: Task) -> None:
        """Run a task that was claimed, and report it; raises nothing."""
        with working_on_task(task.name):
            try:
                with self._outage.watch():
                    self._run_and_report(task)
            except PeeweeException:
                # The outage is logged. The task is done again when its lease is released or over.
                _log.debug("The task %s has no report.", task.name, exc_info=True)
                with self._changed:
                    self._unreported.add(task)
            except BaseException:  # whatever a job raises must not end the thread
                _log.exception("The task %s ended without a report.", task.name)
            finally:
                db.close()
                self._remove(task)
                self._on_free()

    def _run_and_report(self, task: Task) -> None:
        try:
            summary = task.run()
        except LeaseLost:
            task.release()  # if it ends because the process does
        except Exception as error:  # every job may fail in its own way
            failure = describe_failure(error)
            # What is known says all in one line: the chain may be away for hours.
            exc_info = None if isinstance(error, KNOWN_ERRORS) else error
            _log.error("The background task %s failed: %s", task.name, failure, exc_info=exc_info)
            task.report_failure(failure)
        else:
            task.report_success(summary)

    def _remove(self, task: Task) -> None:
        with self._changed:
            self._running.discard(task)
            self._changed.notify_all()


def _find_free(job: PeriodicJob | KeyedJob, now: datetime) -> dict[str, str]:
    """Return tasks that are due and that nobody does, with their groups; what waits longest first.

    So keys that are always due hold up no others of their group.
    """
    due = job.list_due(now)
    if not due:
        return {}
    is_free = ~is_leased(now) & is_due(now, job.longest_wait)
    columns = (Job.name, Job.started_at, is_free.alias("is_free"))
    known: list[Any] = []
    for names in in_batches(due):
        known.extend(Job.select(*columns).where(Job.name.in_(names)))
    taken = {row.name for row in known if not row.is_free}
    # One from the future is from before the clock went back.
    started = {
        row.name: row.started_at for row in known if row.started_at and row.started_at <= now
    }
    free = [name for name in due if name not in taken]
    free.sort(key=lambda name: started.get(name, _NEVER))
    return {name: due[name] for name in free}
