"""Tasks that lose their lease, or whose process stops."""

from datetime import timedelta

import pytest
from one_process import HOUR, OneProcess, succeed
from peewee import OperationalError

from embed.db.leases import take_lease
from embed.db.models import Job
from embed.worker.jobs import PeriodicJob
from embed.worker.tasks import STUCK_AFTER, LeaseLost

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
        process.runner.stop(0)
        with pytest.raises(LeaseLost):
            keep_alive()
        return keep_alive()

    process.define_job(run)
    process.work()
    process.define_job(succeed)

    assert process.work() == 1
    assert process.report.summary == "Done."


def test_lease_of_a_task_in_a_long_step_is_renewed_but_not_of_one_that_is_stuck(
    process: OneProcess,
):
    left = []

    def run(_runtime, _keep_alive) -> str:
        while process.clock() - process.report.started_at <= STUCK_AFTER:
            process.clock.now += process.timing.beat
            process.runner.renew_leases()
            left.append(process.report.leased_until - process.clock())
        return "Done."

    process.define_job(run)
    process.work()

    assert set(left[:59]) == {30 * SECOND}
    assert left[59:] == [20 * SECOND, 10 * SECOND]


def test_stuck_task_is_done_again_by_the_same_process_and_reports_nothing(process: OneProcess):
    summaries = iter(["Late.", "Done."])

    def run(_runtime, _keep_alive) -> str:
        summary = next(summaries)
        if summary == "Late.":
            process.clock.now += STUCK_AFTER
            process.runner.renew_leases()
            assert process.work() == 1
        return summary

    process.define_job(run)
    process.work()

    assert process.report.summary == "Done."


def test_task_whose_end_the_database_could_not_store_is_due_as_soon_as_it_answers(
    process: OneProcess, monkeypatch
):
    def fail(*_, **__) -> None:
        raise OperationalError

    process.define_job(succeed)
    with monkeypatch.context() as patch:
        patch.setattr("embed.worker.tasks.release_lease", fail)
        assert process.work() == 1
        with pytest.raises(OperationalError):
            process.runner.release_unreported()
    assert process.work() == 0

    process.runner.release_unreported()

    assert process.work() == 1
    assert process.report.summary == "Done."


def test_task_for_which_there_is_no_thread_is_left_to_others(process: OneProcess, monkeypatch):
    def fail(_run) -> None:
        raise RuntimeError("can't start new thread")

    process.define_job(succeed)
    monkeypatch.setattr(process.runner, "_start", fail)
    with pytest.raises(RuntimeError):
        process.look()
    process.clock.now += process.timing.beat
    process.runner.renew_leases()
    process.clock.now += process.timing.lease

    assert process.rival(PeriodicJob("job", HOUR, succeed)).work() == 1
