"""flask worker"""

from dataclasses import replace

import click
from flask import current_app
from flask.cli import with_appcontext

from embed.db.models import WorkerProcess
from embed.db.work_status import JobReport, read_work_status
from embed.domain.times import format_instant
from embed.serializers import format_optional
from embed.settings import Settings
from embed.terminal import Group, JsonObject, format_table, print_answer, runtime
from embed.worker.jobs import EXTENSION
from embed.worker.process import work_until_stopped


@click.group("worker", cls=Group, invoke_without_command=True)
@with_appcontext
@click.pass_context
def group(context: click.Context) -> None:
    """Do the background work until stopped."""
    if context.invoked_subcommand is None:
        able_to_sign = replace(runtime(), settings=runtime().settings.with_secret_key())
        work_until_stopped(able_to_sign, current_app.extensions[EXTENSION])


@group.command("status")
def show_status() -> None:
    """Show which processes do the background work, what was done last and what failed."""
    status = read_work_status(runtime().clock())
    described: JsonObject = {
        "isWorking": status.is_working,
        "processes": [_describe_process(process) for process in status.processes],
        "jobs": [_describe_job(job) for job in status.jobs],
    }
    if status.is_working:
        processes = ("kind", "host", "processId", "startedAtIso", "seenAtIso")
        text = format_table(described["processes"], processes)
    else:
        text = _explain_rest(runtime().settings)
    if status.jobs:
        jobs = ("name", "isRunning", "finishedAtIso", "summary")
        text += "\n\n" + format_table(described["jobs"], jobs)
        text += "".join(
            f"\n{job['name']} failed at {job['failedAtIso']}: {job['failure']}"
            for job in described["jobs"]
            if job["failure"]
        )
    print_answer(described, text)


def _explain_rest(settings: Settings) -> str:
    """Return a sentence about what to do where nobody works."""
    stopped = "The background work is not running."
    if settings.background == "worker":
        return f"{stopped} As BACKGROUND is worker, gunicorn does not do it: start flask worker."
    return f"{stopped} Start gunicorn or flask worker."


def _describe_process(process: WorkerProcess) -> JsonObject:
    return {
        "kind": process.kind,
        "host": process.host,
        "processId": process.process_id,
        "startedAtIso": format_instant(process.started_at),
        "seenAtIso": format_instant(process.seen_at),
    }


def _describe_job(job: JobReport) -> JsonObject:
    return {
        "name": job.name,
        "isRunning": job.is_running,
        "startedAtIso": format_optional(job.started_at),
        "finishedAtIso": format_optional(job.finished_at),
        "summary": job.summary,
        "failedAtIso": format_optional(job.failed_at),
        "failure": job.failure,
        "dueAtIso": format_optional(job.due_at),
    }
