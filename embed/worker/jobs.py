"""What a job of the background work is; registry.py lists them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from embed.errors import InvalidInput, NotFound
from embed.runtime import Runtime

EXTENSION = "embed.work"  # its key in app.extensions

# Renews the lease of a task. Long ones call it between their steps, outside of transactions.
# Raises LeaseLost, which is to end the task.
KeepAlive = Callable[[], None]

# Renews the lease as well; True if the task is to end.
ShouldStop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Something that one of all processes does again and again."""

    name: str  # without white space
    every: timedelta  # from start to start
    run: Callable[[Runtime, KeepAlive], str]  # returns a sentence about what it did


@dataclass(frozen=True, slots=True)
class KeyedJob:
    """Something that is done for each of many keys when that is due, several at once.

    No key is ever worked on by two tasks at a time. A task may begin when its key has just been
    dealt with by another, so it looks again whether there is anything to do.
    """

    name: str  # without white space
    find_due: Callable[[datetime], Sequence[str]]  # called every second
    run: Callable[[str, Runtime, ShouldStop], str | None]
    at_once: int = 8  # in each process
    longest_wait: timedelta = timedelta(minutes=10)  # for a key whose task fails


@dataclass(frozen=True, slots=True)
class Timing:
    """How often processes look what is due, and when they take each other for dead."""

    look_s: float = 1.0
    beat: timedelta = timedelta(seconds=10)  # reports of processes, renewals of leases
    lease: timedelta = timedelta(seconds=30)  # without a renewal
    seen_within: timedelta = timedelta(seconds=30)  # a process without a report is gone
    # A task that runs for so long without calling its KeepAlive is taken for stuck: its lease is
    # not renewed any more.
    patience: timedelta = timedelta(minutes=10)
    first_wait: timedelta = timedelta(seconds=10)  # after a failure; then twice as long each time
    finish_s: float = 10.0  # how long `flask worker` waits for its tasks when it is stopped


@dataclass(frozen=True, slots=True)
class Work:
    periodic: tuple[PeriodicJob, ...] = ()
    keyed: tuple[KeyedJob, ...] = ()
    # Errors whose text may be shown to everybody: sentences without addresses or secrets.
    known_errors: tuple[type[Exception], ...] = (InvalidInput, NotFound)
    timing: Timing = Timing()

    @property
    def threads(self) -> int:
        """Return how many tasks may run at once, so that keyed ones delay no periodic one."""
        return max(1, len(self.periodic) + sum(job.at_once for job in self.keyed))
