"""Gauges of the whole installation: the database's queues and ages, and the limits' storage."""

import math
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from peewee import PeeweeException, fn
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily

from embed import __version__
from embed.balances.due import find_oldest_read_at
from embed.db.connection import db
from embed.db.models import Delivery, Job, Message, Page, Receiver, Submission
from embed.db.work_status import find_backup_at, find_lease
from embed.domain import times
from embed.notifications import delivery
from embed.settings import Settings
from embed.settings.storages import open_storage

DESCRIPTION_BY_NAME = {
    "embed_database_up": "1: the database answered this scrape.",
    "embed_submissions_pending": "Submissions waiting for review.",
    "embed_submissions_pending_age_seconds": "Age of the oldest of them; 0 if there is none.",
    "embed_deliveries_waiting": "Messages waiting to be sent or retried.",
    "embed_deliveries_late_seconds": "How long the most overdue message has been due; 0 if none.",
    "embed_balances_age_seconds": "Age of the oldest balance that is read from the chain.",
    "embed_balance_refresh_seconds": "How often each balance is read: BALANCE_REFRESH.",
    "embed_background_tasks_failing": "Jobs that failed the last time.",
    "embed_background_processes": "1: a process does the background work.",
    "embed_backup_age_seconds": "Age of the newest backup; +Inf if there is none.",
    "embed_rate_limit_fallback": "1: Redis does not answer, so each process counts for itself.",
}


class Gauges:
    """A collector of prometheus_client.

    The library's own gauges store values that a process sets; these are read at each scrape.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._storage = open_storage(settings.ratelimit_storage_uri)

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("embed_build", "Always 1.", {"version": __version__})
        for name, value in self._read().items():
            yield GaugeMetricFamily(name, DESCRIPTION_BY_NAME[name], value=float(value))

    def _read(self) -> dict[str, float]:
        values: dict[str, float] = {
            "embed_database_up": False,
            "embed_balance_refresh_seconds": self._settings.balance_refresh.total_seconds(),
            "embed_rate_limit_fallback": not self._storage.check(),
        }
        try:
            read = read_gauges(times.now(), has_chain=self._settings.uses_chain)
            return values | {"embed_database_up": True} | read
        except PeeweeException:
            return values
        finally:
            db.close()  # because the thread ends


def read_gauges(now: datetime, *, has_chain: bool) -> dict[str, float]:
    """Read the gauges from the database. Raises PeeweeException.

    A balance that was never read is as old as its wallet. Without a chain, no balance is due.
    """
    pending, pending_since = _read_pending()
    backup_at = find_backup_at()
    oldest_read_at = find_oldest_read_at() if has_chain else None
    return {
        "embed_submissions_pending": pending,
        "embed_submissions_pending_age_seconds": _age(pending_since, now),
        "embed_deliveries_waiting": (
            Delivery.select().join(Receiver).where(Delivery.state == "waiting").count()
        ),
        "embed_deliveries_late_seconds": _age(_find_oldest_due_delivery(now), now),
        "embed_balances_age_seconds": _age(oldest_read_at, now),
        "embed_background_tasks_failing": Job.select().where(Job.failed_at.is_null(False)).count(),
        "embed_background_processes": find_lease(now) is not None,
        "embed_backup_age_seconds": math.inf if backup_at is None else _age(backup_at, now),
    }


def _age(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else max((now - since).total_seconds(), 0.0)


def _read_pending() -> tuple[int, datetime | None]:
    """Join pages, since the index of submissions begins with the page."""
    rows: Any = (
        Submission.select(fn.COUNT(1), fn.MIN(Submission.created_at))
        .join(Page)
        .where(Page.deleted_at.is_null(), Submission.status == "pending")
        .tuples()
    )
    count, since = rows[0]
    return count, since


def _find_oldest_due_delivery(now: datetime) -> datetime | None:
    """Return since when the most overdue receiver has been due.

    A receiver that doesn't answer is retried at growing intervals; its messages aren't due until
    the next attempt.
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
    since = [max(created_at, next_at or created_at) for created_at, next_at in rows]
    return min(since, default=None)
