"""The jobs of the background work: what a job is, and which the service has. Add one here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from embed.errors import InvalidInput, NotFound
from embed.maintenance.pruning import prune, summarize
from embed.notifications.delivery import deliver, find_due_receivers
from embed.runtime import Runtime
from embed.settings import Settings
from embed.wallets import balance_refresh
from embed.wallets.listings import update_listings

EXTENSION = "embed.jobs"  # their key in app.extensions
# Errors whose text may be shown to everybody: sentences without addresses or secrets.
KNOWN_ERRORS = (InvalidInput, NotFound, balance_refresh.RefreshFailed)

# Renews the lease of a task. Long ones call it between their steps, outside of transactions.
# Raises LeaseLost, which is to end the task.
KeepAlive = Callable[[], None]


@dataclass(frozen=True, slots=True)
class PeriodicJob:
    """Something that one of all processes does again and again, as one task."""

    name: str  # without white space
    every: timedelta  # from start to start
    run: Callable[[Runtime, KeepAlive], str]  # returns a sentence about what it did
    # In each process: a task that is stuck loses its lease, and another may begin.
    at_once: int = 2

    @property
    def longest_wait(self) -> timedelta:
        """How long it waits at most until it is done again."""
        return self.every

    def list_due(self, _now: datetime) -> dict[str, str]:
        """Return its task with its group, due as far as the lease and the last report allow."""
        return {self.name: ""}


@dataclass(frozen=True, slots=True)
class KeyedJob:
    """Something that is done for each of many keys when that is due, several at once.

    No key is ever worked on by two tasks at a time. A task may begin when its key has just been
    dealt with by another, so it looks again whether there is anything to do.

    `find_due` is called every second, and returns each key with the group that it belongs to, such
    as an owner's. However many keys a group has, it waits for its turn no longer than others.
    """

    name: str  # without white space
    find_due: Callable[[datetime], Mapping[str, str]]
    run: Callable[[str, Runtime, KeepAlive], str | None]
    at_once: int = 8  # in each process
    longest_wait: timedelta = timedelta(minutes=10)  # for a key whose task fails

    def list_due(self, now: datetime) -> dict[str, str]:
        return {f"{self.name} {key}": group for key, group in self.find_due(now).items()}


@dataclass(frozen=True, slots=True)
class Timing:
    """How often processes look what is due, and how long a task is theirs without a renewal."""

    look_s: float = 1.0
    beat: timedelta = timedelta(seconds=10)  # reports of processes, renewals of leases
    lease: timedelta = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Jobs:
    """What is done in the background."""

    all: tuple[PeriodicJob | KeyedJob, ...] = ()
    timing: Timing = Timing()


def list_jobs(settings: Settings) -> Jobs:
    """Return the service's own jobs."""
    jobs = (
        PeriodicJob("feed", timedelta(minutes=1), _update_feeds),
        PeriodicJob("prune", timedelta(hours=1), _prune),
        # Two jobs, so that receivers that take long keep none waiting that do not.
        KeyedJob("notifications", partial(find_due_receivers, is_slow=False), deliver),
        KeyedJob(
            "slow-notifications", partial(find_due_receivers, is_slow=True), deliver, at_once=4
        ),
    )
    if not settings.uses_chain:
        return Jobs(jobs)
    every = balance_refresh.choose_interval(settings.balance_refresh)
    balances = PeriodicJob(balance_refresh.LEASE, every, balance_refresh.run_job)
    return Jobs((balances, *jobs))


def _update_feeds(runtime: Runtime, _: KeepAlive) -> str:
    return update_listings(runtime.clock())


def _prune(runtime: Runtime, keep_alive: KeepAlive) -> str:
    return summarize(prune(runtime.clock(), runtime.settings.balance_history, keep_alive))
