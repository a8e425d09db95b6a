"""Metrics of gunicorn's processes, in prometheus_client's mode for several of them.

https://prometheus.github.io/client_python/multiprocess/: each process counts in files of its own,
in one folder, and an answer is their sum. The address belongs to the first process that gets it;
when that ends, another one does.
"""

import errno
import os
import shutil
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from embed.settings import Settings

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_PREFIX = "embed-metrics-"
_MEMORY = "/dev/shm"  # noqa: S108  # the folder in it is this user's alone
_TRY_AGAIN_S = 1.0


def make_folder() -> None:
    """Make the folder, before prometheus_client is imported, which looks for it then.

    In memory, as a disk without space for one of these files would end the process that counts.
    """
    if _VARIABLE not in os.environ:  # it is there when gunicorn reads its configuration again
        parent = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        os.environ[_VARIABLE] = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)


def check_address(server: Any, settings: Settings) -> None:
    """Log what keeps the metrics from being answered; the service starts all the same."""
    if settings.metrics_bind is None:
        return
    if os.geteuid() == 0:  # and its processes may be another user's
        os.chown(os.environ[_VARIABLE], server.cfg.uid, server.cfg.gid)
    host, port = settings.metrics_bind
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = os.strerror(error.errno or errno.EADDRNOTAVAIL)
        server.log.warning(
            f"There are no metrics as long as METRICS_BIND={host}:{port} cannot be used: {reason}."
        )


def start_metrics(settings: Settings) -> None:
    """Count in this process, and answer as soon as no other process does."""
    if settings.metrics_bind is not None:
        threading.Thread(target=_serve, args=(settings,), name="metrics", daemon=True).start()


def _serve(settings: Settings) -> None:
    # Imported here: see make_folder.
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.multiprocess import MultiProcessCollector

    from embed.gauges import Gauges
    from embed.metrics import begin_known_series

    begin_known_series()
    registry = CollectorRegistry()
    make_collector: Any = MultiProcessCollector  # it has no types
    make_collector(registry)
    registry.register(Gauges(settings))
    host, port = settings.metrics_bind or ("", 0)
    while True:
        with suppress(OSError):
            start_http_server(port, host, registry)
            return
        time.sleep(_TRY_AGAIN_S)


def remove_folder() -> None:
    """Remove what was counted, when no process is left."""
    folder = Path(os.environ.get(_VARIABLE, ""))
    if folder.name.startswith(_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
