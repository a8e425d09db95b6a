"""What the background work reports: which processes do it, and how each job went."""

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from embed.db.connection import db
from embed.db.leases import is_leased
from embed.db.models import Job, WorkerProcess

Kind = Literal["gunicorn", "worker"]  # of processes

SEEN_WITHIN = timedelta(seconds=30)  # a process without a report for so long is gone
_BACKUP = "backup"  # the row of `flask backup`, which is no job
_KEPT = timedelta(days=1)  # reports of processes that are gone, and of keys that are not due


@dataclass(frozen=True, slots=True)
class JobReport:
    """The last times of a job, or of all tasks of one kind, such as deliveries."""

    name: str
    is_running: bool
    started_at: datetime | None
    finished_at: datetime | None  # the last time without a failure
    summary: str | None
    failed_at: datetime | None
    failure: str | None  # None: it did not fail since
    due_at: datetime | None  # None: at once


@dataclass(frozen=True, slots=True)
class WorkStatus:
    processes: list[WorkerProcess]  # that reported lately
    jobs: list[JobReport]

    @property
    def is_working(self) -> bool:
        """Tell whether anybody does the work."""
        return bool(self.processes)

    @property
    def seen_at(self) -> datetime | None:
        """Return when one of them last reported."""
        return max((process.seen_at for process in self.processes), default=None)


def report_process(process_id: str, kind: Kind, started_at: datetime, now: datetime) -> None:
    """Report that this process works, and drop what is old."""
    with db.atomic():
        query: Any = WorkerProcess.insert(
            id=process_id,
            kind=kind,
            host=platform.node(),
            process_id=os.getpid(),
            started_at=started_at,
            seen_at=now,
        ).on_conflict(conflict_target=[WorkerProcess.id], preserve=[WorkerProcess.seen_at])
        query.execute()
        WorkerProcess.delete().where(WorkerProcess.seen_at < now - _KEPT).execute()
        Job.delete().where(
            Job.name.contains(" "),
            Job.started_at < now - _KEPT,
            Job.leased_until.is_null(),
            Job.due_at.is_null(),
        ).execute()


def remove_process(process_id: str) -> None:
    WorkerProcess.delete().where(WorkerProcess.id == process_id).execute()


def report_backup(started_at: datetime, now: datetime) -> None:
    """Report that the database was saved in a file."""
    query: Any = Job.insert(name=_BACKUP, started_at=started_at, finished_at=now).on_conflict(
        conflict_target=[Job.name], preserve=[Job.started_at, Job.finished_at]
    )
    query.execute()


def find_backup_at() -> datetime | None:
    """Return the time of the newest backup, which holds nothing of what came later."""
    found: datetime | None = Job.select(Job.started_at).where(Job.name == _BACKUP).scalar()
    return found


def is_anybody_working(now: datetime, kind: Kind | None = None) -> bool:
    """Tell whether any process does the work, or one of this kind."""
    processes = _select_processes(now)
    return bool((processes.where(WorkerProcess.kind == kind) if kind else processes).exists())


def read_work_status(now: datetime) -> WorkStatus:
    reports: dict[str, JobReport] = {}
    for report in _list_reports(now):
        same = reports.get(report.name)
        reports[report.name] = _combine(same, report) if same else report
    return WorkStatus(
        processes=list(_select_processes(now).order_by(WorkerProcess.started_at, WorkerProcess.id)),
        jobs=list(reports.values()),
    )


def _select_processes(now: datetime) -> Any:
    return WorkerProcess.select().where(is_alive(now))


def is_alive(now: datetime) -> Any:
    """Return the condition that a process reported lately.

    A report from the future is from before the clock went back, maybe of a process that is gone;
    clocks of several machines may differ by as much as SEEN_WITHIN.
    """
    seen_at = WorkerProcess.seen_at
    return (seen_at > now - SEEN_WITHIN) & (seen_at <= now + SEEN_WITHIN)


def _list_reports(now: datetime) -> Iterator[JobReport]:
    is_running = is_leased(now).converter(bool).alias("is_running")
    columns = (Job.name, Job.started_at, Job.finished_at, Job.summary, Job.failed_at, Job.failure)
    query: Any = Job.select(*columns, Job.due_at, is_running).where(Job.name != _BACKUP)
    for report in query.order_by(Job.name).objects(JobReport):
        # Tasks of one kind have rows such as "receiver ID", which are reported together.
        yield replace(report, name=report.name.partition(" ")[0])


def _combine(one: JobReport, other: JobReport) -> JobReport:
    newest = max(one, other, key=lambda report: _order(report.finished_at))
    failed = max(one, other, key=lambda report: _order(report.failed_at))
    return replace(
        newest,
        is_running=one.is_running or other.is_running,
        started_at=max(one.started_at, other.started_at, key=_order),
        failed_at=failed.failed_at,
        failure=failed.failure,
        due_at=None,
    )


def _order(instant: datetime | None) -> float:
    return -1.0 if instant is None else instant.timestamp()
