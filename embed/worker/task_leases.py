"""The lease under which a task runs."""

import threading
from datetime import datetime
from typing import Any

from embed.db.connection import db
from embed.db.leases import renew_lease
from embed.db.models import Job
from embed.domain.times import Clock
from embed.worker.jobs import Timing


class LeaseLost(Exception):
    """The task is to end: another process does it now, or this one stops."""


class TaskLease:
    """Held by a running task; renewed by the task itself and, while it is alive, for it."""

    def __init__(
        self, name: str, holder: str, *, clock: Clock, timing: Timing, stopping: threading.Event
    ) -> None:
        self.name = name
        self.holder = holder
        self.started_at = clock()
        self._clock = clock
        self._timing = timing
        self._stopping = stopping
        self._renewed_at = self._alive_at = self.started_at
        self._is_lost = False

    def keep_alive(self) -> None:
        """Show that the task goes on. Raises LeaseLost if it is to end."""
        if self.should_stop():
            raise LeaseLost(self.name)

    def should_stop(self) -> bool:
        """Show that the task goes on, and tell whether it is to end."""
        now = self._clock()
        self._alive_at = now
        if now - self._renewed_at >= self._timing.lease / 3:
            self._renew(now)
        return self._is_lost or self._stopping.is_set()

    def renew_if_alive(self) -> None:
        """Renew it for a task that is in the midst of a step, but not for one that is stuck."""
        now = self._clock()
        if now - self._alive_at < self._timing.patience and not self._is_lost:
            self._renew(now)

    def _renew(self, now: datetime) -> None:
        self._is_lost = not renew_lease(self.name, self.holder, now, self._timing.lease)
        self._renewed_at = now

    def end(self, **report: Any) -> None:
        """Give the lease back and write the report, unless another process has the lease."""
        Job.update(leased_by=None, leased_until=None, **report).where(
            Job.name == self.name, Job.leased_by == self.holder
        ).execute()

    def start(self, leased_by: str) -> bool:
        """Take it over from the process that enqueued the task; False if that has lost it.

        The holder changes, so that a task which stands in the queue twice runs once.
        """
        query = Job.update(
            leased_by=self.holder,
            leased_until=self.started_at + self._timing.lease,
            started_at=self.started_at,
        ).where(Job.name == self.name, Job.leased_by == leased_by)
        return bool(query.execute())  # how many rows it changed


def start_task(lease: TaskLease, leased_by: str) -> Job | None:
    """Start a task; return the report of the time before, or None if the lease was lost."""
    with db.atomic():
        before: Job | None = Job.get_or_none(Job.name == lease.name)
        return before if before is not None and lease.start(leased_by) else None
