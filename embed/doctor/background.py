"""Checks of the background work: whether anybody does it, and what fails."""

import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from peewee import fn

from embed.db.models import Page, Receiver, WorkerProcess
from embed.db.work_status import JobReport, read_work_status
from embed.doctor.findings import Finding, quote
from embed.doctor.variables import describe_unshared_limits
from embed.domain.times import format_instant
from embed.settings import Settings

_NOT_ONCE = 3  # attempts that failed in a row; a receiver may miss one


def check_background(settings: Settings, now: datetime) -> Iterator[Finding]:
    status = read_work_status(now)
    processes = [each for each in status.processes if _is_alive(each)]
    if not processes:
        yield Finding(
            "no_worker",
            "Nobody does the background work: no balances are read, and nobody is notified.",
            "Start flask worker; as BACKGROUND is worker, gunicorn does not do this work."
            if settings.background == "worker"
            else "Start gunicorn, or flask worker.",
        )
    servers = sum(process.kind == "gunicorn" for process in processes)
    if servers > 1 and settings.ratelimit_storage_uri.startswith("memory:"):
        yield describe_unshared_limits(f"{servers} processes of gunicorn run")
    for job in status.jobs:
        # Of deliveries, check_deliveries tells more.
        if job.failure is not None and not job.name.endswith("notifications"):
            yield _describe_job(job)


def _is_alive(process: WorkerProcess) -> bool:
    """Tell whether a process that reported lately still runs, as far as that can be seen."""
    if process.host != platform.node():
        return True
    with suppress(PermissionError):  # it is another user's
        try:
            os.kill(int(str(process.process_id)), 0)
        except ProcessLookupError:
            return False
    return True


def _describe_job(job: JobReport) -> Finding:
    last = "never" if job.finished_at is None else f"at {format_instant(job.finished_at)}"
    return Finding(
        "job_failing",
        f"The background job {job.name} fails: {quote(job.failure)} It last succeeded {last}.",
        "See flask worker status, and the log of the process that does the work.",
    )


def check_deliveries() -> Iterator[Finding]:
    rows: Any = (
        Receiver.select(Page.id, Page.token_name, fn.COUNT(Receiver.id))
        .join(Page)
        .where(Receiver.failed_attempts >= _NOT_ONCE, Page.deleted_at.is_null())
        .group_by(Page.id, Page.token_name)
        .order_by(Page.id)
    )
    for page_id, name, count in rows.tuples():
        yield Finding(
            "deliveries_failing",
            f"Messages to {count} of the webhooks and channels of page {page_id}"
            f" ({quote(name)}) have failed {_NOT_ONCE} times or more in a row.",
            f"The page's owner sees the answers in the dashboard, under Notifications. Or run"
            f" flask webhooks list {page_id} and flask channels list {page_id}, and the test"
            " command of each group.",
        )
