"""The queue of tasks: Huey, in a file beside the database or in Redis (QUEUE_URL).

Huey takes a task off the queue before it runs it, so the queue holds only what is to be done now.
What is still to be done is in the database: losing the queue loses nothing.
"""

import hashlib
import json
import logging
import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from huey import Huey
from huey.exceptions import HueyException
from huey.registry import Message
from huey.serializer import Serializer
from huey.storage import RedisStorage, SqliteStorage
from redis import ConnectionPool, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from embed.settings import Settings
from embed.settings.files import find_queue_file
from embed.worker.outages import Outage

# What its storages raise when they are away.
ERRORS = (RedisError, sqlite3.Error, OSError)

_CONNECT_TIMEOUT_S = 2
_ANSWER_TIMEOUT_S = 5  # longer than the second for which Redis waits for a task

_log = logging.getLogger(__name__)


class _TaskSerializer(Serializer):  # type: ignore[misc]  # Huey has no types
    """Keeps tasks as JSON: unpickling, Huey's way, would run what others put into the queue."""

    def serialize(self, data: Any) -> bytes:
        return json.dumps([data.id, data.name, list(data.args)]).encode()

    def deserialize(self, data: bytes) -> Any:
        task_id, name, arguments = json.loads(bytes(data))
        return Message(id=task_id, name=name, args=tuple(arguments), kwargs={})


class TaskQueue(Huey):  # type: ignore[misc]  # Huey has no types
    """Huey without results and revocation, which nothing here uses."""

    def __init__(self, name: str, outage: Outage, **storage: Any) -> None:
        super().__init__(name, results=False, serializer=_TaskSerializer(), **storage)
        self.outage = outage
        self._arrived = threading.Condition()

    def enqueue(self, task: Any) -> None:
        with self.outage.watch():
            super().enqueue(task)
        with self._arrived:
            self._arrived.notify()

    def dequeue(self) -> Any:
        with self.outage.watch():
            data = self.storage.dequeue()
        try:
            return None if data is None else self.deserialize_task(data)
        except (ValueError, TypeError, HueyException):
            _log.warning("The queue contained something that is not a task; it was dropped.")
            return None

    def count_waiting(self) -> int:
        with self.outage.watch():
            size: int = self.storage.queue_size()
        return size

    def wait_for_task(self, timeout_s: float) -> None:
        """Wait until a task of this process arrives; those of others are noticed by asking."""
        with self._arrived:
            self._arrived.wait(timeout_s)

    def wake_all(self) -> None:
        with self._arrived:
            self._arrived.notify_all()

    def is_revoked(self, *_: Any, **__: Any) -> bool:
        return False

    def delete(self, key: str) -> None:
        """Huey deletes a mark of revocation after each task; there are none."""


def watch_queue(settings: Settings) -> Outage:
    """Return what logs that the queue is away."""
    where = "QUEUE_URL" if settings.queue_url is not None else find_queue_file(settings)
    return Outage(f"The queue of background work ({where})", *ERRORS)


def open_queue(settings: Settings, outage: Outage) -> TaskQueue:
    """Raises one of ERRORS if its file cannot be used; a Redis is asked later."""
    # Huey logs each step, and each failed attempt with a traceback.
    logging.getLogger("huey").setLevel(logging.CRITICAL + 1)
    # Databases that share a file or a Redis have a queue each.
    name = "embed" + hashlib.sha256(settings.database_url.encode()).hexdigest()[:16]
    if settings.queue_url is not None:
        pool = _open_redis(settings.queue_url)
        return TaskQueue(name, outage, storage_class=RedisStorage, connection_pool=pool)
    path = find_queue_file(settings)
    with outage.watch():
        _create_private_file(path)
        # It need not survive a power failure.
        return TaskQueue(
            name, outage, storage_class=SqliteStorage, filename=str(path), fsync=False, cache_mb=1
        )


def _create_private_file(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _open_redis(url: str) -> ConnectionPool:
    return ConnectionPool.from_url(
        url,
        socket_connect_timeout=_CONNECT_TIMEOUT_S,
        socket_timeout=_ANSWER_TIMEOUT_S,
        retry=Retry(NoBackoff(), 1),  # a connection that was idle may have been closed
    )
