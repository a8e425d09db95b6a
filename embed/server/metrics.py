"""Metrics of gunicorn's workers: one address and one folder for all of them."""

from collections.abc import Collection
from typing import Any

from gunicorn.arbiter import Arbiter

from embed.monitoring.endpoint import explain, open_endpoint
from embed.settings import Settings


def open_metrics(server: Arbiter, settings: Settings) -> None:
    """Listen at METRICS_BIND if it is set, before workers are forked that are to share it.

    The service starts without metrics if the address cannot be used.
    """
    server.metrics = None
    config, bind = server.cfg, settings.metrics_bind
    if bind is None:
        return
    ports = [address[1] for address in config.address if isinstance(address, tuple)]
    try:
        server.metrics = open_endpoint(
            bind, settings, other_ports=ports, user=config.uid, group=config.gid
        )
    except OSError as error:
        server.log.warning("There are no metrics: %s", explain("METRICS_BIND", bind, error))


def prepare_worker(server: Arbiter, worker: Any) -> None:
    """Give a worker that is about to be forked a slot that no other has that lives."""
    worker.metrics = server.metrics
    worker.metrics_slot = find_free_slot([one.metrics_slot for one in server.WORKERS.values()])


def find_free_slot(used: Collection[int]) -> int:
    return next(slot for slot in range(len(used) + 1) if slot not in used)


def start_metrics(worker: Any) -> None:
    if worker.metrics is not None:
        worker.metrics.start(worker.metrics_slot)


def finish_metrics(worker: Any) -> None:
    if worker.metrics is not None:
        worker.metrics.finish()


def close_metrics(server: Arbiter) -> None:
    if server.metrics is not None:
        server.metrics.close()
