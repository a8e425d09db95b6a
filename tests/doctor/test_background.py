"""What flask doctor finds in the background work."""

import os
import platform
from datetime import timedelta

import pytest
from world import RANDOM_KEY

from embed.db.models import Job, Receiver, WorkerProcess
from embed.doctor.background import check_background, check_deliveries
from embed.doctor.findings import Finding
from embed.notifications import receivers
from embed.settings import Settings

pytestmark = pytest.mark.slow

GONE = 2**22 + 1  # no process has this number


@pytest.fixture
def find(world, clock):
    def find(**environ: str) -> dict[str, Finding]:
        settings = Settings.from_environ({"SECRET_KEY": RANDOM_KEY} | environ)
        return {each.code: each for each in check_background(settings, clock())}

    return find


@pytest.fixture
def report(world, clock):
    """Let a process report that it works."""

    def report(kind: str = "gunicorn", *, process_id: int | None = None, host: str | None = None):
        WorkerProcess.create(
            kind=kind,
            host=host or platform.node(),
            process_id=process_id or os.getpid(),
            started_at=clock(),
            seen_at=clock(),
        )

    return report


def test_nothing_is_wrong_while_somebody_works(find, report):
    report()

    assert find() == {}


def test_missing_worker_is_found(find):
    assert find()["no_worker"].remedy == "Start gunicorn, or flask worker."
    assert "Start flask worker" in find(BACKGROUND="worker")["no_worker"].remedy


def test_worker_that_has_not_reported_for_long_is_none(find, report, clock):
    report("worker")
    clock.now += timedelta(minutes=1)

    assert set(find()) == {"no_worker"}


def test_worker_that_was_killed_is_none_at_once(find, report):
    report("worker", process_id=GONE)

    assert set(find()) == {"no_worker"}


def test_worker_of_another_machine_counts(find, report):
    report("worker", process_id=GONE, host="elsewhere")

    assert find() == {}


def test_several_servers_with_limits_in_memory_are_found(find, report):
    report()
    report()

    assert set(find()) == {"limits_not_shared"}
    assert "2 processes of gunicorn run" in find()["limits_not_shared"].problem
    assert find(RATELIMIT_STORAGE_URI="redis://127.0.0.1") == {}


def test_several_workers_need_no_shared_limits(find, report):
    report("worker")
    report("worker")

    assert find() == {}


def test_job_that_fails_is_found(find, report, clock):
    report()
    Job.create(name="feed", started_at=clock(), failed_at=clock(), failure="It broke.")
    Job.create(name="prune", started_at=clock(), finished_at=clock())

    found = find()

    assert set(found) == {"job_failing"}
    assert "feed fails: It broke." in found["job_failing"].problem


def test_page_whose_messages_fail_again_and_again_is_found(world, clock):
    settings = Settings.from_environ({"SECRET_KEY": RANDOM_KEY})
    url = "https://hooks.example.com/hush"
    receiver = receivers.add_webhook(world.page_id, url, settings=settings, now=clock())

    Receiver.update(failed_attempts=2).execute()
    assert list(check_deliveries()) == []

    Receiver.update(failed_attempts=3).execute()
    (found,) = check_deliveries()

    assert found.code == "deliveries_failing"
    assert world.page_id in found.problem
    assert "hush" not in found.problem + found.remedy
    assert receiver.kind == "webhook"
