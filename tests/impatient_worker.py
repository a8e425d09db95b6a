"""The shipped worker with lower limits, for gunicorn's --worker-class."""

from embed.server.worker import BufferingWorker


class ImpatientWorker(BufferingWorker):
    patience_s = 1.0


class FrugalWorker(BufferingWorker):
    large_bytes_in_all = 4_000_000
