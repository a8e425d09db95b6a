"""The shipped worker with other limits, for gunicorn's --worker-class."""

from embed.db import connection
from embed.server.worker import BufferingWorker
from embed.web import health


class ImpatientWorker(BufferingWorker):
    patience_s = 4.0


class PatientWorker(BufferingWorker):
    patience_s = 10_000.0


class TrustingWorker(BufferingWorker):
    """Waits long for a database, with requests and before it says that it is not ready."""

    def init_process(self) -> None:
        health._LIMIT_S = 10_000.0
        connection.LOCK_TIMEOUT_MS = 600_000
        super().init_process()
