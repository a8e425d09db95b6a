"""Check of the background work: whether anybody does it, and what failed."""

from collections.abc import Iterator

from peewee import PeeweeException

from embed.db.work_status import read_work_status
from embed.doctor.findings import Finding, NotChecked, quote
from embed.domain.times import Clock


def check_background(clock: Clock) -> Iterator[Finding]:
    """Read it from the database, if that is open. Raises NotChecked."""
    try:
        status = read_work_status(clock())
    except (AttributeError, PeeweeException):  # the check of the database says why
        raise NotChecked(
            "Not checked: the background work, as the database cannot be read."
        ) from None
    if not status.is_working:
        yield Finding(
            "no_worker",
            "Nobody does the background work: no balances are read, and nobody is notified.",
            "Start gunicorn, or flask worker; only the latter where BACKGROUND=worker.",
        )
    for job in status.jobs:
        if job.failure is not None:
            yield Finding(
                "job_failing",
                f"The background job {job.name} fails: {quote(job.failure)}",
                "See flask worker status, and the log of the process that does the work.",
            )
