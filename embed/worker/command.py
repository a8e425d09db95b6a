"""flask worker"""

import logging
import signal
from datetime import datetime
from typing import cast

import click
from flask import current_app
from flask.cli import with_appcontext

from embed.db.models import WorkerProcess
from embed.db.work_status import JobReport, WorkStatus, read_work_status
from embed.domain.times import format_instant
from embed.monitoring.endpoint import MetricsEndpoint, open_endpoint
from embed.serializers import write_json
from embed.settings import Settings, SettingsError
from embed.terminal import Group, JsonObject, json_option, print_list, runtime
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
@json_option
def show_status(as_json: bool) -> None:
    """Show which processes do the background work, what was done last and what failed."""
    status = read_work_status(runtime().clock())
    if as_json:
        click.echo(write_json(describe_status(status)))
        return
    if not status.is_working:
        click.echo(explain_rest(runtime().settings))
    else:
        print_list([_describe_process(process) for process in status.processes], as_json=False)
    if status.jobs:
        click.echo()
        print_list([_describe_job(job) for job in status.jobs], as_json=False)


def explain_rest(settings: Settings) -> str:
    """Return a sentence about what to do where nobody works."""
    stopped = "The background work is not running."
    if settings.background == "worker":
        return f"{stopped} As BACKGROUND is worker, gunicorn does not do it: start flask worker."
    return f"{stopped} Start gunicorn or flask worker."


def describe_status(status: WorkStatus) -> JsonObject:
    return {
        "isWorking": status.is_working,
        "processes": [_describe_process(process) for process in status.processes],
        "jobs": [_describe_job(job) for job in status.jobs],
    }


def _describe_process(process: WorkerProcess) -> JsonObject:
    return {
        "kind": process.kind,
        "host": process.host,
        "processId": process.process_id,
        "startedAtIso": format_instant(cast(datetime, process.started_at)),
        "seenAtIso": format_instant(cast(datetime, process.seen_at)),
    }


def _describe_job(job: JobReport) -> JsonObject:
    return {
        "name": job.name,
        "isRunning": job.is_running,
        "startedAtIso": _format(job.started_at),
        "finishedAtIso": _format(job.finished_at),
        "summary": job.summary,
        "failedAtIso": _format(job.failed_at),
        "failure": job.failure,
        "dueAtIso": _format(job.due_at),
    }


def _format(instant: datetime | None) -> str | None:
    return None if instant is None else format_instant(instant)
