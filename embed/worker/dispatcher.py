"""Finds what is due, leases it and puts it into the queue."""

from datetime import UTC, datetime, timedelta
from typing import Any

from embed.db.leases import LONGEST_LEASE, is_leased, release_lease, take_lease
from embed.db.models import Job
from embed.domain.identifiers import make_id
from embed.runtime import Runtime
from embed.worker.jobs import KeyedJob, Work
from embed.worker.task_queue import TaskQueue
from embed.worker.tasks import TaskRunner, find_longest_wait


class Dispatcher:
    """Looks for this process; all processes do, and the lease decides which one gets a task."""

    def __init__(
        self, runtime: Runtime, work: Work, process_id: str, queue: TaskQueue, runner: TaskRunner
    ) -> None:
        self._runtime = runtime
        self._work = work
        self._process_id = process_id
        self._queue = queue
        self._runner = runner
        self._run: Any = queue.task(name="run")(lambda name, holder: runner.run(name, holder))
        self.has_more = False  # due, but there was no free thread

    def look(self) -> None:
        """Enqueue what is due, keyed tasks only as many as there are free threads for them.

        Raises PeeweeException, or the queue's errors.
        """
        now = self._runtime.clock()
        blocked = self._list_blocked(now)
        self.has_more = False
        for job in self._work.periodic:
            if job.name not in blocked:
                self._enqueue(job.name, now)
        for keyed in self._work.keyed:
            self._enqueue_keys(keyed, blocked, now)

    def _enqueue_keys(self, job: KeyedJob, blocked: set[str], now: datetime) -> None:
        names = [f"{job.name} {key}" for key in job.find_due(now)]
        names = [name for name in names if name not in blocked]
        if not names:
            return
        free = job.at_once - self._runner.count_running(job) - self._queue.count_waiting()
        self.has_more = len(names) > free
        if self.has_more:
            names = _sort_by_last_start(names, job)
        for name in names[: max(free, 0)]:
            self._enqueue(name, now)

    def _enqueue(self, name: str, now: datetime) -> None:
        holder = f"{self._process_id}.{make_id()}"
        if not take_lease(name, holder, now, self._work.timing.lease):
            return
        try:
            # Another process may have done it since this one looked.
            if _is_waiting(Job.get_by_id(name), now, find_longest_wait(self._work, name)):
                release_lease(name, holder)
            else:
                self._queue.enqueue(self._run.s(name, holder))
        except self._queue.outage.errors:
            release_lease(name, holder)
            raise

    def _list_blocked(self, now: datetime) -> set[str]:
        """Return what is being done, and what is not due yet."""
        later: Any = is_leased(now) | (Job.due_at > now)
        known = {one.name for one in self._work.periodic} | {one.name for one in self._work.keyed}
        return {
            job.name
            for job in Job.select().where(later)
            if job.name.partition(" ")[0] in known
            and (
                (job.leased_until is not None and now < job.leased_until <= now + LONGEST_LEASE)
                or _is_waiting(job, now, find_longest_wait(self._work, job.name))
            )
        }


def _sort_by_last_start(names: list[str], job: KeyedJob) -> list[str]:
    """Put first what waits longest, so that keys which are always due hold up no others."""
    started: dict[str, datetime | None] = {
        row.name: row.started_at
        for row in Job.select(Job.name, Job.started_at).where(Job.name.startswith(f"{job.name} "))
    }
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(names, key=lambda name: started.get(name) or never)


def _is_waiting(job: Job, now: datetime, longest: timedelta) -> bool:
    """Tell whether a task is due later.

    A time that is further away than any wait comes from a longer period that was set before, or
    from a clock that went back.
    """
    due_at: datetime | None = job.due_at
    return due_at is not None and now < due_at <= now + longest
