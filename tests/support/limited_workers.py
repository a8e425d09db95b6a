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


class FrugalWorker(PatientWorker):
    large_bytes_in_all = 500_000


class ThriftyWorker(PatientWorker):
    large_bytes_in_all = 3_000_000  # one large page, but not forty uploads of 100 KB


class StuckWorker(FrugalWorker):
    """Handles no request before it is told to stop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stops = Event()

    def handle(self, conn: Connection) -> bool:
        self._stops.wait()
        return super().handle(conn)

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._stops.set()
        super().handle_exit(sig, frame)


class CountingWorker(BufferingWorker):
    """Says at its end how many connections and places it counts."""

    patience_s = 0.5
    large_bytes_in_all = 500_000

    def run(self) -> None:
        super().run()
        count, places = len(self._loop._connections), len(self._loop._places._names)
        self.log.warning("Counted: %d and %d.", count, places)


class TrustingWorker(BufferingWorker):
    """Waits long for a database, with requests and before it says that it is not ready."""

    def init_process(self) -> None:
        readiness._LIMIT_S = 10_000.0
        connection.LOCK_TIMEOUT_MS = 600_000
        super().init_process()
