"""The recurring background jobs. Add a job here."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from embed.db.work_status import find_job, report_job
from embed.errors import InvalidInput, NotFound
from embed.maintenance.pruning import prune, summarize
from embed.runtime import Runtime
from embed.settings import Settings
from embed.wallets import balance_refresh
from embed.wallets.listings import update_listings

EXTENSION = "embed.jobs"  # their key in app.extensions
# Errors whose text is safe to show to everyone: sentences without addresses or secrets.
KNOWN_ERRORS = (InvalidInput, NotFound, balance_refresh.RefreshFailed)

_LEAP = timedelta(days=1)
_NOT_DELETED = (
    "Nothing was deleted: by the clock, the last run was more than a day ago. If the clock is"
    " right, do nothing: old data is deleted in a day. If it's wrong, correct it before then."
)

# Long jobs call it between steps, outside of transactions. It raises Stopped to end the job.
CheckStop = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Job:
    name: str
    every: timedelta  # from start to start
    run: Callable[[Runtime, CheckStop], str]  # returns a sentence about what it did


def list_jobs(settings: Settings) -> tuple[Job, ...]:
    """Return the service's own jobs; delivering messages isn't one of them."""
    jobs = (
        Job("listings", timedelta(minutes=1), _update_listings),
        Job("prune", timedelta(hours=1), _prune),
    )
    if not settings.uses_chain:
        return jobs
    every = balance_refresh.choose_interval(settings.balance_refresh)
    return (Job("balances", every, balance_refresh.run_job), *jobs)


def _update_listings(runtime: Runtime, _: CheckStop) -> str:
    return update_listings(runtime.clock())


def _prune(runtime: Runtime, check_stop: CheckStop) -> str:
    """Delete old data, or wait a day if the clock has jumped ahead, since it may be wrong."""
    now, last = runtime.clock(), find_job("prune")
    if (
        last
        and last.finished_at
        and now - last.finished_at > _LEAP
        and last.summary != _NOT_DELETED
    ):
        report_job("prune", due_at=now + _LEAP)
        return _NOT_DELETED
    return summarize(prune(now, runtime.settings.balance_history, check_stop))
