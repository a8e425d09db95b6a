"""Tasks that lose their lease, or whose process stops."""

from datetime import timedelta

import pytest
from one_process import HOUR, OneProcess, succeed

from embed.db.leases import take_lease
from embed.db.models import Job
from embed.worker.task_leases import LeaseLost

pytestmark = pytest.mark.databases("sqlite", "postgres")

SECOND = timedelta(seconds=1)


def test_keep_alive_renews_the_lease_when_a_third_of_it_is_over(process: OneProcess):
    seen = []

    def run(_runtime, keep_alive) -> str:
        for _ in range(4):
            process.forward(seconds=5)
            keep_alive()
            seen.append((Job.get_by_id("job").leased_until - process.clock()).total_seconds())
        return "Done."

    process.define_job(run)
    process.work()

    assert seen == [25, 30, 25, 30]


def test_task_that_finds_its_lease_lost_ends_and_reports_nothing(process: OneProcess):
    def run(_runtime, keep_alive) -> str:
        process.clock.now += process.timing.lease
        assert take_lease("job", "another", process.clock(), HOUR)
        keep_alive()
        raise AssertionError("it goes on")

    process.define_job(run)
    process.work()

    report = process.report
    assert (report.leased_by, report.finished_at, report.failure) == ("another", None, None)


def test_task_that_lost_its_lease_without_noticing_reports_nothing(process: OneProcess):
    def run(_runtime, _keep_alive) -> str:
        process.clock.now += process.timing.lease
        assert take_lease("job", "another", process.clock(), HOUR)
        return "Late."

    process.define_job(run)
    process.work()

    assert (process.report.leased_by, process.report.summary) == ("another", None)


def test_task_of_a_process_that_stops_ends_at_its_next_step_and_is_due_at_once(
    process: OneProcess,
):
    def run(_runtime, keep_alive) -> str:
        process.runner.stop()
        with pytest.raises(LeaseLost):
            keep_alive()
        return keep_alive()

    process.define_job(run)
    process.work()
    process.define_job(succeed)

    assert process.work() == 1
    assert process.report.summary == "Done."


def test_task_that_a_stopping_process_takes_off_the_queue_is_due_at_once(process: OneProcess):
    process.define_job(succeed)
    process.look()
    process.runner.stop()
    process.run_all()
    assert process.report.started_at is None

    process.define_job(succeed)
    assert process.work() == 1


def test_lease_of_a_task_in_a_long_step_is_renewed_but_not_of_one_that_is_stuck(
    process: OneProcess,
):
    left = []

    def run(_runtime, _keep_alive) -> str:
        while process.clock() - process.report.started_at <= process.timing.patience:
            process.clock.now += process.timing.beat
            process.runner.renew_leases()
            left.append(process.report.leased_until - process.clock())
        return "Done."

    process.define_job(run)
    process.work()

    assert set(left[:59]) == {30 * SECOND}
    assert left[59:] == [20 * SECOND, 10 * SECOND]
