"""Check of the background work: whether anybody does it, and what failed."""

from collections.abc import Iterator

from peewee import PeeweeException

from embed.db.work_status import read_work_status
from embed.doctor.findings import Finding, NotChecked, quote
from embed.domain.times import Clock, format_instant
from embed.settings import Settings


def check_background(settings: Settings, clock: Clock) -> Iterator[Finding]:
    """Read it from the database, if that is open. Raises NotChecked."""
    try:
        status = read_work_status(clock())
    except (AttributeError, PeeweeException):  # the check of the database says why
        raise NotChecked(
            "Not checked: the background work, as the database tells nothing."
        ) from None
    if not status.is_working:
        yield Finding(
            "no_worker",
            "Nobody does the background work: no balances are read, and nobody is notified.",
            "Start flask worker; as BACKGROUND is worker, gunicorn does not do this work."
            if settings.background == "worker"
            else "Start gunicorn, or flask worker.",
        )
    for job in status.jobs:
        if job.failure is not None:
            last = "never" if job.finished_at is None else format_instant(job.finished_at)
            yield Finding(
                "job_failing",
                f"The background job {job.name} fails: {quote(job.failure)}"
                f" Its last success: {last}.",
                "See flask worker status, and the log of the process that does the work.",
            )
