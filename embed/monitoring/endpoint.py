"""Metrics: who answers at their address, and the files that several processes count in.

It is prometheus_client's mode for several processes, its handler and its registry. What is ours is
what its documentation leaves to the program:

- Its ``start_http_server`` opens the port for one process, and lets clients that stall keep a
  thread each. Here gunicorn's processes share a socket, and any of them answers for all.
- Its files are named after process ids and stay, so that no count falls: with every process that
  is replaced they become more, and its ``mark_process_dead`` is for gauges that processes set.
  Here a process has a small number, and the next one with that number goes on with the files.
- It wants the folder emptied before the start, and named in the environment before it is imported.
  The folder must not be emptied under a service that runs, and whether one does is known when the
  address is free. It reads both again for each series that is made, so it is told after the fork.
- Its files take their space when they are written to, which ends the process (SIGBUS) where there
  is none left. Here they have it from the start.
"""

import errno
import logging
import os
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, MetricsHandler, values
from prometheus_client.multiprocess import MultiProcessCollector

from embed.metrics import begin_known_series
from embed.monitoring.gauges import Gauges
from embed.settings import Settings

# The workers of a predecessor that was killed hold the address until they notice.
_TRIES, _PAUSE_S = 6, 1.0
# For a client to send its request and to read the answer.
PATIENCE_S = 10.0
_LOOK_S = 0.5
_FINISH_S = 1.0  # for scrapes that are being answered when their process ends
_MOST_CLIENTS = 8  # of each process; others are turned away
_MEMORY_DIR = Path("/dev/shm")  # noqa: S108  # the folder in it is this user's alone
_FILE_BYTES = 1 << 20  # with room for every series

_log = logging.getLogger(__name__)


class MetricsEndpoint(ThreadingHTTPServer):
    """An address that the processes of a service share: any of them answers for all."""

    def __init__(self, listening: socket.socket, folder: Path, registry: CollectorRegistry) -> None:
        handler = MetricsHandler.factory(registry)
        super().__init__(("", 0), handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self._folder = folder
        self._deadlines: dict[Any, float] = {}
        self._answered = threading.Condition()
        self._thread: threading.Thread | None = None

    def start(self, slot: int) -> None:
        """Count in this process, and answer scrapes, until it ends.

        No other living process has the slot, so that none writes to the same files.
        """
        try:
            begin_counting(self._folder, slot)
        except OSError as error:  # requests are answered all the same
            _log.error("This process counts nothing: %s", error)  # says it all
        self._thread = threading.Thread(
            target=self.serve_forever, args=(_LOOK_S,), name="metrics", daemon=True
        )
        self._thread.start()

    def finish(self) -> None:
        """Leave new scrapes to the other processes, and finish those of this one, which ends."""
        if self._thread is None:
            return
        self.shutdown()
        with self._answered:
            self._answered.wait_for(lambda: not self._deadlines, _FINISH_S)

    def close(self) -> None:
        """Give up the address and what was counted, when no process is left."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        if len(self._deadlines) >= _MOST_CLIENTS:
            self.shutdown_request(request)
            return
        self._deadlines[request] = time.monotonic() + PATIENCE_S
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._answered:
            self._deadlines.pop(request, None)
            self._answered.notify_all()

    def service_actions(self) -> None:
        """Break off clients that send or read too slowly; called in every turn of the loop."""
        for request, deadline in list(self._deadlines.items()):
            if deadline < time.monotonic():
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what is our mistake, but not what clients do."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def open_endpoint(
    bind: tuple[str, int],
    settings: Settings,
    *,
    other_ports: Collection[int] = (),
    user: int | None = None,
    group: int | None = None,
) -> MetricsEndpoint:
    """Listen at an address.

    `other_ports`: where the service itself listens. `user` and `group`: whose processes count, if
    this one is root's. Raises OSError.
    """
    if bind[1] in other_ports:
        raise OSError(errno.EADDRINUSE, "the service itself has this port")
    listening = _listen(*bind)
    folder = make_folder(*bind)
    if os.geteuid() == 0 and user is not None and group is not None:
        os.chown(folder, user, group)
    return MetricsEndpoint(listening, folder, make_registry(settings, folder))


def explain(variable: str, bind: tuple[str, int], error: OSError) -> str:
    """Return a sentence for whoever has set a variable to an address that cannot be used."""
    host, port = bind
    return f"{variable}={host}:{port} cannot be used: {os.strerror(error.errno or 0)}."


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that never blocks: another process may accept a client first."""
    family, *_, (found, *_) = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    for tries_left in reversed(range(_TRIES)):
        try:
            listening = socket.create_server((str(found), port), family=family)
            break
        except OSError:
            if not tries_left:
                raise
            time.sleep(_PAUSE_S)
    listening.setblocking(False)
    return listening


def find_folder(host: str, port: int) -> Path:
    parent = _MEMORY_DIR if os.access(_MEMORY_DIR, os.W_OK) else Path(tempfile.gettempdir())
    return parent / f"embed-metrics-{os.geteuid()}-{host}-{port}"


def make_folder(host: str, port: int) -> Path:
    """Only whoever listens there may call this: then only one that was killed has left a folder."""
    folder = find_folder(host, port)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


def make_registry(settings: Settings, folder: Path) -> CollectorRegistry:
    """Return what a scrape collects: the sums over all slots, and the gauges."""
    registry = CollectorRegistry()
    make_collector: Any = MultiProcessCollector  # it has no types
    make_collector(registry, str(folder))
    registry.register(Gauges(settings))
    return registry


def begin_counting(folder: Path, slot: int) -> None:
    """Count from now on, into the files of a slot. Raises OSError."""
    for kind in ("counter", "histogram"):
        path = folder / f"{kind}_{slot}.db"
        if not path.exists():
            new = path.with_suffix(".new")  # a scrape meanwhile cannot read an empty one
            new.write_bytes(bytes(_FILE_BYTES))
            new.rename(path)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    make_class: Any = values.MultiProcessValue  # it has no types
    values.ValueClass = make_class(lambda: slot)
    begin_known_series()
