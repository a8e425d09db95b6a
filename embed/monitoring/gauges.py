"""What a scrape asks when it comes: the database's queues and ages, and the limits' storage."""

import math
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any

from peewee import PeeweeException, fn
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily

from embed import __version__
from embed.balances.due import find_oldest_read_at
from embed.db.connection import db
from embed.db.leases import is_due, is_leased
from embed.db.models import Delivery, Job, Message, Page, Receiver, Submission, WorkerProcess
from embed.db.work_status import find_backup_at, is_alive
from embed.domain import times
from embed.monitoring.bounded import BoundedQuestion, PendingAnswer
from embed.notifications import delivery
from embed.rate_limits import storages
from embed.settings import Settings

# Prometheus waits 10 s by default.
ANSWER_WITHIN_S = 3.0

DESCRIPTION_BY_NAME = {
    "embed_database_up": "1: the database answered this scrape.",
    "embed_submissions_pending": "Submissions that wait for their owner's decision.",
    "embed_submissions_pending_age_seconds": "Age of the oldest of them; 0 if there is none.",
    "embed_deliveries_waiting": "Messages that wait to be delivered, or to be tried again.",
    "embed_deliveries_late_seconds": "How long the longest due delivery has been due; 0 if none.",
    "embed_balances_age_seconds": "Age of the oldest balance that the chain is asked for.",
    "embed_balance_refresh_seconds": "How often each balance is read: BALANCE_REFRESH.",
    "embed_background_tasks_due": "Tasks that are due and that nobody does yet.",
    "embed_background_tasks_running": "Tasks that are being done.",
    "embed_background_tasks_failing": "Tasks whose last attempt failed.",
    "embed_background_processes": "Processes that do the background work.",
    "embed_backup_age_seconds": "Age of the newest backup; +Inf if none was made.",
    "embed_rate_limit_fallback": "1: Redis does not answer, so each process counts for itself.",
}


class Gauges:
    """A collector of prometheus_client, which answers in time whatever hangs.

    The library's own gauges hold what a process sets. These tell of the whole installation, and are
    asked for when a scrape comes.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open_storage = cache(lambda: storages.open_storage(settings.ratelimit_storage_uri))
        self._storage = BoundedQuestion(self._is_storage_there, "metrics-storage")
        self._database = BoundedQuestion(lambda: read_gauges(times.now()), "metrics-database")
        # By itself: a database that only takes long for this one is not away.
        self._balances = BoundedQuestion(
            lambda: read_balances_gauge(times.now(), has_chain=settings.uses_chain),
            "metrics-balances",
        )

    def _is_storage_there(self) -> bool:
        try:
            return self._open_storage().check()
        except Exception:  # each client library raises its own errors
            return False

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges, at the latest after ANSWER_WITHIN_S."""
        asked = (self._database, self._balances, self._storage)
        pending: list[PendingAnswer[Any]] = [question.begin() for question in asked]
        database, balances, storage = map(_wait, pending)
        values: dict[str, float] = {
            "embed_database_up": bool(database),
            **(database or {}),
            **(balances or {}),
            "embed_balance_refresh_seconds": self._settings.balance_refresh.total_seconds(),
            "embed_rate_limit_fallback": not storage,
        }
        yield InfoMetricFamily("embed_build", "Always 1.", {"version": __version__})
        for name, value in values.items():
            yield GaugeMetricFamily(name, DESCRIPTION_BY_NAME[name], value=float(value))


def _wait(pending: PendingAnswer[Any]) -> Any:
    """Return the answer, or None if there is none in time, or if the database is away."""
    try:
        return pending.wait(ANSWER_WITHIN_S)
    except (TimeoutError, PeeweeException):
        return None


def read_gauges(now: datetime) -> dict[str, float]:
    """Ask the database for its gauges but that of balances. Raises PeeweeException."""
    try:
        pending, pending_since = _read_pending()
        backup_at = find_backup_at()
        return {
            "embed_submissions_pending": pending,
            "embed_submissions_pending_age_seconds": _age(pending_since, now),
            "embed_deliveries_waiting": _count_waiting(),
            "embed_deliveries_late_seconds": _age(_find_oldest_due_delivery(now), now),
            **_count_tasks(now),
            "embed_background_processes": WorkerProcess.select().where(is_alive(now)).count(),
            "embed_backup_age_seconds": math.inf if backup_at is None else _age(backup_at, now),
        }
    finally:
        db.close()  # the thread ends


def read_balances_gauge(now: datetime, *, has_chain: bool) -> dict[str, float]:
    """Ask for the gauge of balances, which looks at every wallet: 0.1 s for 50,000 of them.

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
        .where(Delivery.state == "waiting", delivery.is_due(now))
        .group_by(Delivery.receiver)
        .alias("heads")
    )
    rows: Any = (
        Message.select(Message.created_at, Receiver.next_attempt_at)
        .join(heads, on=heads.c.number == Message.number)
        .join(Receiver, on=Receiver.id == heads.c.receiver_id)
        .tuples()
    )
    since = [_due_since(created_at, next_at, now) for created_at, next_at in rows]
    return min(since, default=None)


def _due_since(created_at: datetime, next_attempt_at: datetime | None, now: datetime) -> datetime:
    if next_attempt_at is None or next_attempt_at > now:  # then the clock went back meanwhile
        return created_at
    return max(created_at, next_attempt_at)


def _count_tasks(now: datetime) -> dict[str, float]:
    # The row of one receiver's deliveries, say, has no time while there are none.
    waits_for_a_process = Job.due_at.is_null(False) & is_due(now) & ~is_leased(now)
    return {
        "embed_background_tasks_due": Job.select().where(waits_for_a_process).count(),
        "embed_background_tasks_running": Job.select().where(is_leased(now)).count(),
        "embed_background_tasks_failing": Job.select().where(Job.failed_at.is_null(False)).count(),
    }
