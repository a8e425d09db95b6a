"""The parts of a process that works in the background, run by hand."""

from datetime import timedelta

from flask import Flask
from huey.storage import MemoryStorage
from world import Clock

from embed.db.models import Job
from embed.runtime import EXTENSION
from embed.worker.dispatcher import Dispatcher
from embed.worker.jobs import KeyedJob, PeriodicJob, Work
from embed.worker.outages import Outage
from embed.worker.task_queue import TaskQueue
from embed.worker.tasks import TaskRunner

HOUR = timedelta(hours=1)


class KnownError(Exception):
    """Its text may be shown."""


def succeed(_runtime, _keep_alive) -> str:
    return "Done."


def fail_with(error: BaseException):
    """Return a job that raises an error."""

    def fail(_runtime, _keep_alive) -> str:
        raise error

    return fail


class OneProcess:
    def __init__(self, app: Flask, clock: Clock, queue: TaskQueue | None = None) -> None:
        self.app, self.clock = app, clock
        self.queue = queue or TaskQueue("tests", Outage("It"), storage_class=MemoryStorage)
        self.define()

    def define(self, *jobs: PeriodicJob | KeyedJob) -> None:
        """Begin anew, as a process with these jobs and the same queue."""
        work = Work(
            periodic=tuple(job for job in jobs if isinstance(job, PeriodicJob)),
            keyed=tuple(job for job in jobs if isinstance(job, KeyedJob)),
            known_errors=(KnownError,),
        )
        self.timing = work.timing
        runtime = self.app.extensions[EXTENSION]
        self.runner = TaskRunner(runtime, work, "me", Outage("It"), on_end=lambda: None)
        self.queue._registry = type(self.queue._registry)()
        self.dispatcher = Dispatcher(runtime, work, "me", self.queue, self.runner)

    def define_job(self, run, every: timedelta = HOUR) -> None:
        self.define(PeriodicJob("job", every, run))

    def look(self) -> int:
        """Look what is due; return how many tasks are in the queue then."""
        self.dispatcher.look()
        return self.queue.count_waiting()

    def run_all(self) -> int:
        """Run what is in the queue, and return how many tasks that were."""
        tasks = list(iter(self.queue.dequeue, None))
        for task in tasks:
            self.queue.execute(task)
        return len(tasks)

    def work(self) -> int:
        self.look()
        return self.run_all()

    def rival(self) -> "OneProcess":
        """Return another process of the same installation."""
        return OneProcess(self.app, self.clock, self.queue)

    def forward(self, **time: float) -> None:
        self.clock.forward(**time)

    @property
    def report(self) -> Job:
        return Job.get_by_id("job")
