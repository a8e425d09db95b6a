"""What one scrape by Prometheus answers."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from peewee import PeeweeException
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import generate_latest

from embed import __version__
from embed.domain.times import Clock
from embed.metrics.files import read_counts
from embed.monitoring.bounded import Asked, BoundedQuestion
from embed.monitoring.database_gauges import (
    DESCRIPTION_BY_NAME,
    read_balances_gauge,
    read_gauges,
)
from embed.rate_limits import storages
from embed.settings import Settings

# Prometheus waits 10 s by default.
ANSWER_WITHIN_S = 3.0


class Scrape:
    """The sums of all processes, and what the database and the rate limits' storage say now."""

    def __init__(self, settings: Settings, folder: Path, clock: Clock) -> None:
        self._settings = settings
        self._folder = folder
        self._open_storage = cache(lambda: storages.open_storage(settings.ratelimit_storage_uri))
        self._storage = BoundedQuestion(self._is_storage_there, "metrics-storage")
        self._database = BoundedQuestion(lambda: read_gauges(clock()), "metrics-database")
        # By itself: a database that only takes long for this one is not away.
        self._balances = BoundedQuestion(
            lambda: read_balances_gauge(clock(), has_chain=settings.uses_chain), "metrics-balances"
        )

    def _is_storage_there(self) -> bool:
        try:
            return self._open_storage().check()
        except Exception:  # each client library raises its own errors
            return False

    def write(self) -> bytes:
        """Return the metrics in Prometheus's text format, at the latest after ANSWER_WITHIN_S."""
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; prometheus_client's protocol of a collector."""
        database, balances = self._database.begin(), self._balances.begin()
        storage = self._storage.begin()
        yield from read_counts(self._folder)
        yield _label("embed_build_info", "Always 1.", "version", __version__)
        gauges = _wait(database)
        yield _gauge("embed_database_up", "1: the database answered this scrape.", bool(gauges))
        for name, value in ((gauges or {}) | (_wait(balances) or {})).items():
            yield _gauge(name, DESCRIPTION_BY_NAME[name], value)
        yield _gauge(
            "embed_balance_refresh_seconds",
            "How often each balance is read: BALANCE_REFRESH.",
            self._settings.balance_refresh.total_seconds(),
        )
        yield _gauge(
            "embed_rate_limit_fallback",
            "1: the shared counters do not answer, so each process counts for itself.",
            not _wait(storage),
        )


def _wait(asked: Asked[Any]) -> Any:
    """Return the answer, or None if there is none in time, or if the database is away."""
    try:
        return asked.wait(ANSWER_WITHIN_S)
    except (TimeoutError, PeeweeException):
        return None


def _gauge(name: str, description: str, value: float) -> Metric:
    return GaugeMetricFamily(name, description, value=float(value))


def _label(name: str, description: str, label: str, value: str) -> Metric:
    family = GaugeMetricFamily(name, description, labels=[label])
    family.add_metric([value], 1)
    return family
