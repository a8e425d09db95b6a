"""flask worker"""

import logging
import signal
from typing import cast

import click
from flask import current_app
from flask.cli import with_appcontext

from embed.db.models import WorkerProcess
from embed.db.work_status import JobReport, read_work_status
from embed.domain.times import format_instant
from embed.monitoring.endpoint import MetricsEndpoint, open_endpoint
from embed.serializers import format_optional
from embed.settings import Settings, SettingsError
from embed.terminal import Group, JsonObject, format_answer, print_answer, runtime
from embed.worker.background import Background
from embed.worker.jobs import EXTENSION, Jobs

STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT}
FINISH_S = 10.0  # how long a worker that is stopped waits for its tasks

_log = logging.getLogger(__name__)


@click.group("worker", cls=Group, invoke_without_command=True)
@with_appcontext
@click.pass_context
def group(context: click.Context) -> None:
    """Do the background work until stopped."""
    if context.invoked_subcommand is None:
        _work_until_stopped(cast(Jobs, current_app.extensions[EXTENSION]))


def _work_until_stopped(jobs: Jobs) -> None:
    """Work until SIGTERM or SIGINT; then finish what runs. A second one ends it at once."""
    # Threads inherit the mask, so the signal stays pending until this thread takes it.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    for sentence in runtime().settings.deprecations:
        _log.warning("%s", sentence)
    metrics = _open_metrics(runtime().settings)
    background = Background(runtime(), jobs, "worker")
    background.start()
    click.echo("Doing the background work; press Ctrl-C to stop.")
    while signal.sigtimedwait(STOP_SIGNALS, 1) is None:
        if not background.is_running:
            raise click.ClickException("The background work failed; the reason is above.")
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    click.echo("Stopping.")
    background.stop(FINISH_S)
    if metrics is not None:
        metrics.close()


def _open_metrics(settings: Settings) -> MetricsEndpoint | None:
    """Count in this process if METRICS_BIND is set, apart from what gunicorn counts."""
    try:
        metrics = open_endpoint(settings)
    except SettingsError as error:
        raise click.ClickException(f"{error} Each process needs its own address.") from None
    if metrics is not None:
        metrics.start(slot=0)
    return metrics


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
        text = format_answer(described["processes"])
    else:
        text = _explain_rest(runtime().settings)
    if status.jobs:
        text += "\n\n" + format_answer(described["jobs"])
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
