"""The process that has the lease on the background work, and the last result of each job."""

import os
import platform
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from embed.db.models import Job, Lease

Kind = Literal["gunicorn", "worker"]  # of processes

LEASE = timedelta(seconds=30)  # if it isn't renewed for this long, another process takes over
_RENEWED_AFTER = timedelta(seconds=10)
_NAME = "background"  # of the only lease
_BACKUP = "backup"  # the row of `flask backup`, which isn't a job


@dataclass(frozen=True, slots=True)
class WorkStatus:
    lease: Lease | None  # of the process that works
    jobs: list[Job]

    @property
    def is_working(self) -> bool:
        return self.lease is not None

    def is_running(self, job: Job) -> bool:
        """Return whether the working process has started a job and not finished it."""
        ended = max((at for at in (job.finished_at, job.failed_at) if at), default=None)
        is_begun = job.started_at is not None and (ended is None or ended < job.started_at)
        return is_begun and self.lease is not None and job.started_at >= self.lease.started_at


def read_work_status(now: datetime) -> WorkStatus:
    jobs = Job.select().where(Job.name != _BACKUP).order_by(Job.name)
    return WorkStatus(find_lease(now), list(jobs))


def find_lease(now: datetime) -> Lease | None:
    """Return the lease of the working process, if there is one."""
    return Lease.get_or_none(Lease.name == _NAME, _is_recent(now))


def _is_recent(now: datetime) -> Any:
    """Return the condition that a lease was renewed recently, and not by a clock since set back."""
    return (Lease.seen_at > now - LEASE) & (Lease.seen_at < now + LEASE)


def hold_lease(holder: str, kind: Kind, started_at: datetime, now: datetime) -> bool:
    """Take the lease, or renew it when due; return False while another process has it.

    `flask worker` also takes it from a gunicorn process, which notices at its next look.
    """
    may_write = ~_is_recent(now)
    may_write |= (Lease.holder == holder) & (Lease.seen_at <= now - _RENEWED_AFTER)
    if kind == "worker":
        may_write |= Lease.kind == "gunicorn"
    held = Lease.get_or_none(Lease.name == _NAME, ~may_write)
    if held is not None:
        return bool(held.holder == holder)
    row = {
        "holder": holder,
        "kind": kind,
        "host": platform.node(),
        "process_id": os.getpid(),
        "started_at": started_at,
        "seen_at": now,
    }
    columns = [getattr(Lease, name) for name in row]
    query: Any = Lease.insert(name=_NAME, **row)
    query = query.on_conflict(conflict_target=[Lease.name], preserve=columns, where=may_write)
    return int(query.as_rowcount().execute()) == 1


def release_lease(holder: str) -> None:
    Lease.delete().where(Lease.holder == holder).execute()


def list_waiting_jobs(now: datetime) -> set[str]:
    """Return the names of the jobs that are not due yet."""
    return {job.name for job in Job.select(Job.name).where(~_is_due(now))}


def _is_due(now: datetime) -> Any:
    """Return the condition that a job is due; it also is if the clock was set back."""
    return Job.due_at.is_null() | (Job.due_at <= now) | (Job.started_at >= now + LEASE)


def claim_job(name: str, every: timedelta, now: datetime) -> bool:
    """Claim a job if it's due; it's due again after `every`, even if this process dies."""
    query: Any = Job.insert(name=name, started_at=now, due_at=now + every).on_conflict(
        conflict_target=[Job.name],
        preserve=[Job.started_at, Job.due_at],
        where=_is_due(now),
    )
    return int(query.as_rowcount().execute()) == 1


def report_job(name: str, **report: Any) -> None:
    Job.update(**report).where(Job.name == name).execute()


def report_backup(started_at: datetime, now: datetime) -> None:
    query: Any = Job.insert(name=_BACKUP, started_at=started_at, finished_at=now).on_conflict(
        conflict_target=[Job.name], preserve=[Job.started_at, Job.finished_at]
    )
    query.execute()


def find_backup_at() -> datetime | None:
    """Return when the newest backup started; it contains nothing later than that."""
    found: datetime | None = Job.select(Job.started_at).where(Job.name == _BACKUP).scalar()
    return found
