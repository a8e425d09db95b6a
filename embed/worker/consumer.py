"""Huey's consumer as threads of a process that has other things to do as well."""

import time
from typing import Any

from huey.consumer import Consumer, Worker

from embed.worker.task_queue import TaskQueue

_LONGEST_PAUSE_S = 1.0  # between two looks into a queue that is a file


class _TaskThread(Worker):  # type: ignore[misc]  # Huey has no types
    """A thread that runs tasks; it wakes up as soon as its own process has one."""

    delay: float  # until it looks again, in seconds

    def sleep(self) -> None:
        self.delay = min(self.delay, self.max_delay)
        self.huey.wait_for_task(self.delay)
        self.delay *= self.backoff


class ThreadConsumer(Consumer):  # type: ignore[misc]  # Huey has no types
    """Huey's consumer without signal handlers, which are gunicorn's, and without a scheduler."""

    worker_class = _TaskThread
    huey: TaskQueue
    worker_threads: list[tuple[Any, Any]]

    def __init__(self, queue: TaskQueue, threads: int) -> None:
        super().__init__(queue, workers=threads, periodic=False, max_delay=_LONGEST_PAUSE_S)

    def start(self) -> None:
        for _, thread in self.worker_threads:
            thread.start()

    def end(self) -> None:
        """Take no more tasks."""
        self.stop_flag.set()
        self.huey.wake_all()

    def join(self, timeout_s: float) -> None:
        """Wait for the tasks that run; the threads of others end with the process."""
        deadline = time.monotonic() + timeout_s
        for _, thread in self.worker_threads:
            thread.join(max(deadline - time.monotonic(), 0))
