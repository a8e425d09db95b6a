"""What is done again and again in the background. Add a job here."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from embed.db.work_status import find_finished_at
from embed.errors import InvalidInput, NotFound
from embed.maintenance.pruning import prune, summarize
from embed.runtime import Runtime
from embed.settings import Settings
from embed.wallets import balance_refresh
from embed.wallets.listings import update_listings

EXTENSION = "embed.jobs"  # their key in app.extensions
# Errors whose text may be shown to everybody: sentences without addresses or secrets.
KNOWN_ERRORS = (InvalidInput, NotFound, balance_refresh.RefreshFailed)

# Long jobs call it between their steps, outside of transactions. Raises Stopped, to end the job.
CheckStop = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    every: timedelta  # from start to start
    run: Callable[[Runtime, CheckStop], str]  # returns a sentence about what it did


def list_jobs(settings: Settings) -> tuple[Job, ...]:
    """Return the service's own jobs; messages are delivered besides."""
    jobs = (
        Job("feed", timedelta(minutes=1), _update_feeds),
        Job("prune", timedelta(hours=1), _prune),
    )
    if not settings.uses_chain:
        return jobs
    every = balance_refresh.choose_interval(settings.balance_refresh)
    return (Job("balances", every, balance_refresh.run_job), *jobs)


def _update_feeds(runtime: Runtime, _: CheckStop) -> str:
    return update_listings(runtime.clock())


def _prune(runtime: Runtime, check_stop: CheckStop) -> str:
    """Delete what is old, unless the clock has leapt ahead since the last time: it may be wrong."""
    now, pruned_at = runtime.clock(), find_finished_at("prune")
    if pruned_at is not None and now - pruned_at > timedelta(days=1):
        return "Nothing was deleted: the last time was more than a day ago. The next time will."
    return summarize(prune(now, runtime.settings.balance_history, check_stop))
