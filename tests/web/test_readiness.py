"""Readiness while the database hangs, and what operators read about it."""

import logging
import threading
import time
from collections.abc import Callable

import pytest
from support.locks import held_reads
from support.remote import at_once
from support.waiting import wait_for

from embed.db import connection
from embed.db.work_status import hold_lease
from embed.web import health
from embed.web.health import Readiness

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


@pytest.fixture
def is_ready(app, clock, monkeypatch) -> Callable[[], bool]:
    """Look each time, with someone at the background work: ``is_ready()``."""
    monkeypatch.setattr(health, "_FRESH_S", 0.0)
    hold_lease("a", "worker", clock(), clock())
    connection.db.close()
    readiness_here = Readiness()
    return lambda: readiness_here.is_ready(clock())


def test_callers_wait_together_for_a_database_that_hangs_and_later_ones_no_longer(
    is_ready, emptied_database_url, caplog
):
    caplog.set_level(logging.INFO, "embed")
    wait_for(is_ready)
    caplog.clear()
    began = time.monotonic()
    with held_reads(emptied_database_url):
        assert at_once([is_ready] * 20) == [False] * 20
        assert [is_ready() for _ in range(20)] == [False] * 20
        assert time.monotonic() - began < 20 * health._LIMIT_S
        assert [one.name for one in threading.enumerate()].count("readiness") == 1

    wait_for(is_ready)
    assert [record.message for record in caplog.records] == [
        "Not ready. The database has not answered for 2 seconds.",
        "Ready.",
    ]
