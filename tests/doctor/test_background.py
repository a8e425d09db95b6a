"""What flask doctor finds in the background work."""

from datetime import timedelta

import pytest
from support.world import RANDOM_KEY

from embed.db.connection import db
from embed.db.models import Job
from embed.db.work_status import hold_lease
from embed.doctor.background import check_background
from embed.doctor.findings import Finding, NotChecked
from embed.settings import Settings


@pytest.fixture
def find(world, clock):
    def find(**environ: str) -> dict[str, Finding]:
        settings = Settings.from_environ({"SECRET_KEY": RANDOM_KEY} | environ)
        return {each.code: each for each in check_background(settings, clock)}

    return find


@pytest.fixture
def worker(world, clock):
    now = clock()
    hold_lease("a", "worker", now, now)


def test_nothing_is_wrong_while_somebody_works(find, worker):
    assert find() == {}


def test_missing_worker_is_found(find):
    assert find()["no_worker"].remedy == "Start gunicorn, or flask worker."
    assert "Start flask worker" in find(BACKGROUND="worker")["no_worker"].remedy


def test_worker_that_has_not_reported_for_long_is_none(find, worker, clock):
    clock.now += timedelta(minutes=1)

    assert set(find()) == {"no_worker"}


def test_job_that_fails_is_found(find, worker, clock):
    Job.create(name="feed", started_at=clock(), failed_at=clock(), failure="It broke.")
    Job.create(name="prune", started_at=clock(), finished_at=clock())

    found = find()

    assert set(found) == {"job_failing"}
    assert "feed fails: It broke. Its last success: never." in found["job_failing"].problem


def test_database_without_tables_tells_nothing(find):
    db.execute_sql("DROP TABLE job")

    with pytest.raises(NotChecked):
        find()
