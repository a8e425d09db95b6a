"""The shipped worker with other limits, for gunicorn's --worker-class."""

from threading import Event
from typing import Any

from embed.db import connection
from embed.monitoring import readiness
from embed.server.connection import Connection
from embed.server.worker import BufferingWorker


class ImpatientWorker(BufferingWorker):
    patience_s = 4.0


class PatientWorker(BufferingWorker):
    patience_s = 10_000.0


class StuckWorker(PatientWorker):
    """Handles no request before it is told to stop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stops = Event()

    def _handle(self, conn: Connection) -> None:
        self._stops.wait()
        super()._handle(conn)

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._stops.set()
        super().handle_exit(sig, frame)


class CountingWorker(BufferingWorker):
    """Says at its end how many connections it has."""

    patience_s = 0.5

    def run(self) -> None:
        super().run()
        self.log.warning("Counted: %d.", len(self._connections))


class TrustingWorker(BufferingWorker):
    """Waits long for a database, with requests and before it says that it is not ready."""

    def init_process(self) -> None:
        readiness._LIMIT_S = 10_000.0
        connection.LOCK_TIMEOUT_MS = 600_000
        super().init_process()
