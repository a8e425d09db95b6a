"""flask worker"""

import logging
import signal

import click
from flask import current_app
from flask.cli import with_appcontext

from embed.db.models import Job
from embed.db.work_status import WorkStatus, read_work_status
from embed.domain.times import format_instant
from embed.runtime import Runtime
from embed.serializers import format_optional
from embed.terminal import Group, JsonObject, format_table, print_answer, runtime
from embed.worker import EXTENSION, Background

_STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT}
_FINISH_S = 10.0  # how long a stopping worker waits for its tasks

_log = logging.getLogger(__name__)


@click.group("worker", cls=Group, invoke_without_command=True)
@with_appcontext
@click.pass_context
def group(context: click.Context) -> None:
    """Do the background work in a separate process.

    It runs until you stop it. See docs/operating.md.
    """
    if context.invoked_subcommand is None:
        _work_until_stopped(runtime())


def _work_until_stopped(runtime: Runtime) -> None:
    """Work until SIGTERM or SIGINT, then finish running tasks. A second signal exits at once."""
    # Threads inherit the mask, so the signal stays pending until this thread accepts it.
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    background = Background(runtime, current_app.extensions[EXTENSION], "worker")
    background.start()
    _log.info("Doing the background work; press Ctrl-C to stop.")
    while signal.sigtimedwait(_STOP_SIGNALS, 1) is None:
        if not background.is_alive:
            raise click.ClickException("The background work failed; the reason is above.")
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
    _log.info("Stopping.")
    background.stop(_FINISH_S)


@group.command("status")
def show_status() -> None:
    """Show the state of the background work.

    It shows the process that does it, the last run of each job, and failures.
    """
    status = read_work_status(runtime().clock())
    lease, jobs = status.lease, [_describe(job, status) for job in status.jobs]
    described: JsonObject = {"isWorking": status.is_working, "process": None, "jobs": jobs}
    text = (
        "The background work isn't running. Start gunicorn, or flask worker; with"
        " BACKGROUND=worker, only the latter works."
    )
    if lease is not None:
        seen_at = format_instant(lease.seen_at)
        text = f"{lease.kind}, process {lease.process_id} on {lease.host}, last seen at {seen_at}."
        process = {"kind": lease.kind, "host": lease.host, "processId": lease.process_id}
        described["process"] = process | {"seenAtIso": seen_at}
    if jobs:
        text += "\n\n" + format_table(jobs, ("name", "isRunning", "finishedAtIso", "summary"))
    for job in jobs:
        if job["failure"]:
            text += f"\n{job['name']} failed at {job['failedAtIso']}: {job['failure']}"
    print_answer(described, text)


def _describe(job: Job, status: WorkStatus) -> JsonObject:
    return {
        "name": job.name,
        "isRunning": status.is_running(job),
        "startedAtIso": format_optional(job.started_at),
        "finishedAtIso": format_optional(job.finished_at),
        "summary": job.summary,
        "failedAtIso": format_optional(job.failed_at),
        "failure": job.failure,
        "dueAtIso": format_optional(job.due_at),
    }
