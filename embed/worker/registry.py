"""What the service does in the background, and how often. This is the place to add a job."""

from datetime import timedelta
from functools import partial

from embed.errors import InvalidInput, NotFound
from embed.maintenance.pruning import prune, summarize
from embed.notifications.delivery import deliver, find_due_receivers
from embed.runtime import Runtime
from embed.settings import Settings
from embed.wallets.balance_refresh import (
    LEASE,
    RefreshFailed,
    choose_interval,
    run_job,
)
from embed.wallets.listings import update_listings
from embed.worker.jobs import KeepAlive, KeyedJob, PeriodicJob, Work

SLOW_AT_ONCE = 4


def list_work(settings: Settings) -> Work:
    """Return the background work of the service."""
    periodic = [
        PeriodicJob("feed", timedelta(minutes=1), _update_feeds),
        PeriodicJob("prune", timedelta(hours=1), _prune),
    ]
    if settings.uses_chain:
        periodic.insert(0, PeriodicJob(LEASE, choose_interval(settings.balance_refresh), run_job))
    return Work(
        periodic=tuple(periodic),
        # Apart, so that receivers that take long keep none waiting that do not.
        keyed=(
            KeyedJob("notifications", partial(find_due_receivers, is_slow=False), deliver),
            KeyedJob(
                "slow-notifications",
                partial(find_due_receivers, is_slow=True),
                deliver,
                at_once=SLOW_AT_ONCE,
            ),
        ),
        known_errors=(InvalidInput, NotFound, RefreshFailed),
    )


def _update_feeds(runtime: Runtime, _: KeepAlive) -> str:
    return update_listings(runtime.clock())


def _prune(runtime: Runtime, keep_alive: KeepAlive) -> str:
    return summarize(prune(runtime.clock(), runtime.settings.balance_history, keep_alive))
