"""What metrics ask of the database: queues, ages and the background work."""

from datetime import datetime
from typing import Any

from peewee import fn

from embed.balances.due import find_oldest_read_at
from embed.db.connection import db
from embed.db.models import (
    Delivery,
    Job,
    Message,
    Page,
    Receiver,
    Submission,
    WorkerProcess,
)
from embed.db.work_status import SEEN_WITHIN

DESCRIPTION_BY_NAME = {
    "embed_submissions_pending": "Submissions that wait for their owner's decision.",
    "embed_submissions_pending_age_seconds": "Age of the oldest of them; 0 if there is none.",
    "embed_deliveries_waiting": "Messages that wait to be delivered, or to be tried again.",
    "embed_deliveries_late_seconds": "How long the longest due delivery has been due; 0 if none.",
    "embed_balances_age_seconds": "Age of the oldest balance that the chain is asked for.",
    "embed_background_tasks_due": "Tasks that are due and that nobody does yet.",
    "embed_background_tasks_running": "Tasks that are being done.",
    "embed_background_tasks_failing": "Tasks whose last attempt failed.",
    "embed_background_processes": "Processes that do the background work.",
}


def read_gauges(now: datetime) -> dict[str, float]:
    """Return the gauges by name, but for that of balances. Raises PeeweeException."""
    try:
        pending, pending_since = _read_pending()
        return {
            "embed_submissions_pending": pending,
            "embed_submissions_pending_age_seconds": _age(pending_since, now),
            "embed_deliveries_waiting": _count_waiting(),
            "embed_deliveries_late_seconds": _age(_find_oldest_due_delivery(now), now),
            **_count_tasks(now),
            "embed_background_processes": WorkerProcess.select()
            .where(WorkerProcess.seen_at > now - SEEN_WITHIN)
            .count(),
        }
    finally:
        db.close()  # the thread ends


def read_balances_gauge(now: datetime, *, has_chain: bool) -> dict[str, float]:
    """Return the gauge of balances, which looks at every wallet: 0.1 s for 50,000 of them.

    A balance that was never read is as old as the wallet. Without access to the chain none is due.
    Raises PeeweeException.
    """
    try:
        oldest = find_oldest_read_at() if has_chain else None
        return {"embed_balances_age_seconds": _age(oldest, now)}
    finally:
        db.close()  # the thread ends


def _age(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else max((now - since).total_seconds(), 0.0)


def _read_pending() -> tuple[int, datetime | None]:
    """Count by page, as the index of submissions begins with it."""
    rows: Any = (
        Submission.select(fn.COUNT(1), fn.MIN(Submission.created_at))
        .join(Page)
        .where(Page.deleted_at.is_null(), Submission.status == "pending")
        .tuples()
    )
    count, since = rows[0]
    return count, since


def _count_waiting() -> int:
    return int(Delivery.select().join(Receiver).where(Delivery.state == "waiting").count())


def _find_oldest_due_delivery(now: datetime) -> datetime | None:
    """Return since when the receiver that waits longest has been due.

    One that does not answer is tried again later and later: until then nothing of it is due.
    """
    heads = (
        Delivery.select(Delivery.receiver, fn.MIN(Delivery.message).alias("number"))
        .join(Receiver)
        .where(
            Delivery.state == "waiting",
            Receiver.next_attempt_at.is_null() | (Receiver.next_attempt_at <= now),
        )
        .group_by(Delivery.receiver)
        .alias("heads")
    )
    rows: Any = (
        Message.select(Message.created_at, Receiver.next_attempt_at)
        .join(heads, on=heads.c.number == Message.number)
        .join(Receiver, on=Receiver.id == heads.c.receiver_id)
        .tuples()
    )
    since = [max(created_at, next_at or created_at) for created_at, next_at in rows]
    return min(since, default=None)


def _count_tasks(now: datetime) -> dict[str, float]:
    is_leased = Job.leased_until > now
    is_free = Job.leased_until.is_null() | (Job.leased_until <= now)
    return {
        "embed_background_tasks_due": Job.select().where(Job.due_at <= now, is_free).count(),
        "embed_background_tasks_running": Job.select().where(is_leased).count(),
        "embed_background_tasks_failing": Job.select().where(Job.failed_at.is_null(False)).count(),
    }
