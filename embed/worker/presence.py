"""Which processes do the background work: each reports every few seconds that it does."""

import os
import platform
from datetime import datetime, timedelta
from typing import Any, Literal

from embed.db.connection import db
from embed.db.models import Job, WorkerProcess
from embed.db.work_status import is_alive
from embed.settings import Settings

Kind = Literal["gunicorn", "worker"]

_KEPT = timedelta(days=1)  # reports of processes that are gone, and of keys that are not due


def should_work(kind: Kind, settings: Settings, now: datetime) -> bool:
    """Tell whether processes of a kind do the background work.

    gunicorn's do it only while no ``flask worker`` does, and never where BACKGROUND is worker.
    """
    if kind == "worker":
        return True
    workers = WorkerProcess.select().where(WorkerProcess.kind == "worker", is_alive(now))
    return settings.background == "gunicorn" and not workers.exists()


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
