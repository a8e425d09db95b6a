"""Leases: what only one process may do at a time, by a row of the table Job.

A process that dies keeps its lease only until it runs out.
"""

from datetime import datetime, timedelta
from typing import Any

from embed.db.models import Job

# One that ends later is from before the clock went back, and counts as over.
LONGEST_LEASE = timedelta(minutes=5)
# Of any job. One that waits longer does so from before the clock went back, and is due.
LONGEST_WAIT = timedelta(hours=1)


def is_leased(now: datetime) -> Any:
    """Return the condition that somebody has a job's lease; it is true or false, never NULL."""
    return (
        Job.leased_until.is_null(False)
        & (Job.leased_until > now)
        & (Job.leased_until <= now + LONGEST_LEASE)
    )


def is_due(now: datetime, longest_wait: timedelta = LONGEST_WAIT) -> Any:
    """Return the condition that a job does not wait, for longer than `longest_wait` at most.

    One without `due_at` has nothing to wait for: a periodic job that never ended, or a key, which
    is due when its KeyedJob says so.
    """
    return Job.due_at.is_null() | (Job.due_at <= now) | (Job.due_at > now + longest_wait)


def take_lease(name: str, holder: str, now: datetime, for_: timedelta) -> bool:
    """Lease `name` to `holder` if nobody holds it; the answer tells whether it was free.

    A lease that `holder` has itself counts as held, so that two threads of one process that use
    one name exclude each other. It is over at exactly ``now + for_``, at most LONGEST_LEASE later.
    """
    lease = {"leased_by": holder, "leased_until": now + for_}
    return _take(name, lease, ~is_leased(now))


def claim(name: str, holder: str, now: datetime, for_: timedelta, longest_wait: timedelta) -> bool:
    """As take_lease, to start a task, and only if that is due; a task never done before is."""
    lease = {"leased_by": holder, "leased_until": now + for_, "started_at": now}
    return _take(name, lease, ~is_leased(now) & is_due(now, longest_wait))


def _take(name: str, lease: dict[str, Any], is_free: Any) -> bool:
    query: Any = Job.insert(name=name, **lease).on_conflict(
        conflict_target=[Job.name],
        preserve=[getattr(Job, field) for field in lease],
        where=is_free,
    )
    count: int = query.as_rowcount().execute()
    return count == 1


def renew_lease(name: str, holder: str, now: datetime, for_: timedelta) -> bool:
    """Extend a lease until ``now + for_``; False if `holder` does not have it any more.

    One that ran out can be renewed as long as nobody else took it.
    """
    query = Job.update(leased_until=now + for_).where(Job.name == name, Job.leased_by == holder)
    return bool(query.execute())  # how many rows it changed


def release_lease(name: str, holder: str, **report: Any) -> bool:
    """Give a lease back, with the fields that tell what was done under it.

    False, and nothing is changed, if `holder` does not have it any more.
    """
    query = Job.update(leased_by=None, leased_until=None, **report).where(
        Job.name == name, Job.leased_by == holder
    )
    return bool(query.execute())  # how many rows it changed
