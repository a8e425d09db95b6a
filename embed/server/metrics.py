"""Metrics of gunicorn's processes, in prometheus_client's multiprocess mode.

https://prometheus.github.io/client_python/multiprocess/: each process counts in its own files, in
one folder, and an answer is their sum. The first process that gets the address serves metrics;
when it ends, another one takes over.
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
_MEMORY = "/dev/shm"  # noqa: S108  # only this user can read the folder in it
_TRY_AGAIN_S = 1.0


def make_folder() -> None:
    """Create the folder; prometheus_client looks for it when imported, so call this first.

    It's in memory, since a full disk would kill a process that counts in one of these files.
    """
    if _VARIABLE not in os.environ:  # it's set when gunicorn reloads its configuration
        parent = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        os.environ[_VARIABLE] = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)


def check_address(server: Any, settings: Settings) -> None:
    """Log why metrics can't be served; the service starts anyway."""
    if settings.metrics_bind is None:
        return
    if os.geteuid() == 0:  # its processes may run as another user
        os.chown(os.environ[_VARIABLE], server.cfg.uid, server.cfg.gid)
    host, port = settings.metrics_bind
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = os.strerror(error.errno or errno.EADDRNOTAVAIL)
        server.log.warning(
            f"Metrics are unavailable, since METRICS_BIND={host}:{port} cannot be used: {reason}."
        )


def start_metrics(settings: Settings) -> None:
    """Count in this process, and serve metrics as soon as no other process does."""
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
    """Remove the counts when no process is left."""
    folder = Path(os.environ.get(_VARIABLE, ""))
    if folder.name.startswith(_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
