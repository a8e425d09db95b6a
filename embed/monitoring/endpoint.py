"""The address of metrics, and who answers at it."""

import logging
import os
import socket
import time
from collections.abc import Collection
from pathlib import Path

from embed.domain import times
from embed.domain.times import Clock
from embed.metrics.files import begin_counting, make_folder, remove_folder
from embed.monitoring.listener import start_listener
from embed.monitoring.scrape import Scrape
from embed.settings import Settings, SettingsError

# The workers of a predecessor that was killed hold the address until they notice.
_TRIES, _PAUSE_S = 6, 1.0

_log = logging.getLogger(__name__)


class MetricsEndpoint:
    """An address that the processes of a service share: any of them answers for all."""

    def __init__(self, settings: Settings, listening: socket.socket, folder: Path) -> None:
        self._settings = settings
        self._listening = listening
        self._folder = folder

    def start(self, slot: int, clock: Clock = times.now) -> None:
        """Count in this process, and answer scrapes, until it ends.

        No other living process has the slot, so that none writes to the same files.
        """
        try:
            begin_counting(self._folder, slot)
        except OSError as error:  # requests are answered all the same
            _log.error("This process counts nothing: %s", error)  # says it all
        start_listener(self._listening, Scrape(self._settings, self._folder, clock).write)

    def close(self) -> None:
        """Give up the address and what was counted, when no process is left."""
        remove_folder(self._folder)
        self._listening.close()


def open_endpoint(
    settings: Settings,
    *,
    other_ports: Collection[int] = (),
    user: int | None = None,
    group: int | None = None,
) -> MetricsEndpoint | None:
    """Listen at METRICS_BIND; None if it is not set.

    `other_ports`: where the service itself listens. `user` and `group`: whose processes count, if
    this one is root's. Raises SettingsError.
    """
    if settings.metrics_bind is None:
        return None
    host, port = settings.metrics_bind
    if port in other_ports:
        raise SettingsError(f"METRICS_BIND must not have the service's own port, {port}.")
    try:
        listening = _listen(host, port)
        folder = make_folder(host, port)
        if os.geteuid() == 0 and user is not None and group is not None:
            os.chown(folder, user, group)
    except OSError as error:
        raise SettingsError(
            f"METRICS_BIND cannot be used: {host}:{port}: {os.strerror(error.errno or 0)}."
        ) from None
    return MetricsEndpoint(settings, listening, folder)


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that never blocks: another process may accept a client first."""
    family, *_, (found, *_) = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    address = (str(found), port)
    for _ in range(_TRIES - 1):
        try:
            return _bind(family, address)
        except OSError:
            time.sleep(_PAUSE_S)
    return _bind(family, address)


def _bind(family: socket.AddressFamily, address: tuple[str, int]) -> socket.socket:
    listening = socket.create_server(address, family=family)
    listening.setblocking(False)
    return listening
