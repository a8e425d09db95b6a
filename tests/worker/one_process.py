"""A process that works in the background, run by hand."""

from datetime import timedelta

from flask import Flask
from support.world import Clock

from embed.db.models import Job
from embed.runtime import EXTENSION
from embed.worker.jobs import Jobs, KeyedJob, PeriodicJob
from embed.worker.outages import Outage
from embed.worker.tasks import Task, TaskRunner

HOUR = timedelta(hours=1)


def succeed(_runtime, _keep_alive) -> str:
    return "Done."


def fail_with(error: BaseException):
    """Return a job that raises an error."""

    def fail(_runtime, _keep_alive) -> str:
        raise error

    return fail


class OneProcess:
    def __init__(self, app: Flask, clock: Clock) -> None:
        self.app, self.clock = app, clock
        self.woken = 0
        self.define()

    def define(self, *jobs: PeriodicJob | KeyedJob) -> None:
        """Begin again, as a process with these jobs."""
        defined = Jobs(jobs)
        self.timing = defined.timing
        self._started: list[Task] = []
        self.runner = TaskRunner(
            self.app.extensions[EXTENSION],
            defined,
            "me",
            outage=Outage(),
            on_free=self._wake,
        )
        self.runner._start = self._started.append

    def _wake(self) -> None:
        self.woken += 1

    def define_job(self, run, every: timedelta = HOUR) -> None:
        self.define(PeriodicJob("job", every, run))

    def look(self) -> int:
        """Claim what is due; return how many tasks wait by now for run_all."""
        self.runner.start_due()
        return len(self._started)

    @property
    def running(self) -> list[str]:
        return [task.name for task in self._started]

    def run_all(self, most: int | None = None) -> int:
        """Let the tasks run to their end, the oldest first, and return how many that were."""
        begun = self._started[:most]
        del self._started[:most]
        for task in begun:
            self.runner.run(task)
        return len(begun)

    def work(self) -> int:
        self.look()
        return self.run_all()

    def rival(self, *jobs: PeriodicJob | KeyedJob) -> "OneProcess":
        """Return another process of the same installation."""
        rival = OneProcess(self.app, self.clock)
        rival.define(*jobs)
        return rival

    def forward(self, **time: float) -> None:
        self.clock.forward(**time)

    @property
    def report(self) -> Job:
        return Job.get_by_id("job")
