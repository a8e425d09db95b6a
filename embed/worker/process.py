"""The process that ``flask worker`` is."""

import logging
import signal

import click

from embed.monitoring.endpoint import MetricsEndpoint, explain, open_endpoint
from embed.runtime import Runtime
from embed.settings import Settings
from embed.worker.background import Background
from embed.worker.jobs import Jobs

STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT}
FINISH_S = 10.0  # how long a worker that is stopped waits for its tasks

_log = logging.getLogger(__name__)


def work_until_stopped(runtime: Runtime, jobs: Jobs) -> None:
    """Work until SIGTERM or SIGINT; then finish what runs. A second one ends it at once."""
    # Threads inherit the mask, so the signal stays pending until this thread takes it.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    metrics = _open_metrics(runtime.settings)
    background = Background(runtime, jobs, "worker")
    background.start()
    _log.info("Doing the background work; press Ctrl-C to stop.")
    while signal.sigtimedwait(STOP_SIGNALS, 1) is None:
        if not background.is_running:
            raise click.ClickException("The background work failed; the reason is above.")
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    _log.info("Stopping.")
    background.stop(FINISH_S)
    if metrics is not None:
        metrics.close()


def _open_metrics(settings: Settings) -> MetricsEndpoint | None:
    """Count in this process if WORKER_METRICS_BIND is set and can be used."""
    bind = settings.worker_metrics_bind
    if bind is None:
        return None
    try:
        metrics = open_endpoint(bind, settings)
    except OSError as error:
        _log.warning("There are no metrics: %s", explain("WORKER_METRICS_BIND", bind, error))
        return None
    metrics.start(slot=0)
    return metrics
