"""When periodic jobs are due, what is reported of them, and what follows a failure."""

import logging
from datetime import timedelta

import pytest
from one_process import HOUR, OneProcess, fail_with, succeed
from peewee import OperationalError

from embed.errors import InvalidInput
from embed.logs.context import find_context
from embed.wallets.balance_refresh import RefreshFailed
from embed.worker.jobs import PeriodicJob

pytestmark = pytest.mark.databases("sqlite", "postgres")

SECOND = timedelta(seconds=1)


def test_job_is_due_at_once_and_then_a_period_after_its_start(process: OneProcess):
    def take_a_minute(_runtime, _keep_alive) -> str:
        process.forward(seconds=60)
        return "Done."

    process.define_job(take_a_minute)
    assert process.work() == 1

    process.forward(seconds=3539)
    assert process.work() == 0
    process.forward(seconds=1)
    assert process.work() == 1


def test_report_tells_what_it_did_and_when(process: OneProcess):
    process.define_job(succeed)
    began = process.clock()
    process.work()

    report = process.report
    assert (report.started_at, report.finished_at, report.due_at) == (began, began, began + HOUR)
    assert (report.summary, report.failed_at, report.failure) == ("Done.", None, None)
    assert (report.leased_by, report.leased_until) == (None, None)


def test_job_that_has_begun_is_not_begun_again(process: OneProcess):
    process.define_job(succeed)

    assert process.look() == 1
    assert process.look() == 1
    assert process.rival(PeriodicJob("job", HOUR, succeed)).look() == 0
    assert process.run_all() == 1


def test_task_of_a_process_that_died_is_done_by_another_when_its_lease_is_over(
    process: OneProcess,
):
    process.define_job(succeed)
    process.look()
    rival = process.rival(PeriodicJob("job", HOUR, succeed))
    process.clock.now += process.timing.lease - SECOND
    assert rival.look() == 0

    process.forward(seconds=1)

    assert rival.work() == 1
    assert process.report.summary == "Done."


def test_job_that_another_process_did_since_this_one_looked_is_not_done_again(
    process: OneProcess, monkeypatch
):
    process.define_job(succeed)
    process.work()
    monkeypatch.setattr("embed.worker.tasks._find_free", lambda *_: {"job": ""})

    assert process.look() == 0
    assert process.report.leased_by is None


@pytest.mark.parametrize("period", [timedelta(days=30), HOUR])
def test_shorter_period_holds_at_once(process: OneProcess, period):
    process.define_job(succeed, period)
    process.work()

    process.define_job(succeed, timedelta(minutes=1))

    assert process.work() == 1


def test_clock_that_goes_back_stops_no_job(process: OneProcess):
    process.define_job(succeed)
    process.work()

    process.forward(days=-3)

    assert process.work() == 1


# Failures


def test_failed_job_is_tried_again_with_growing_waits_up_to_its_period(process: OneProcess):
    process.define_job(fail_with(InvalidInput("no")), timedelta(seconds=60))

    waits = []
    for _ in range(5):
        assert process.work() == 1
        waits.append((process.report.due_at - process.clock()).total_seconds())
        process.clock.now = process.report.due_at - SECOND
        assert process.work() == 0
        process.forward(seconds=1)
    assert waits == [10, 20, 40, 60, 60]


def test_success_ends_the_growing_of_waits_and_clears_the_failure(process: OneProcess):
    process.define_job(fail_with(InvalidInput("no")))
    process.work()
    process.define_job(succeed)
    process.clock.now = process.report.due_at
    process.work()
    assert (process.report.failure, process.report.failed_at) == (None, None)

    process.define_job(fail_with(InvalidInput("no")))
    process.clock.now = process.report.due_at
    process.work()
    assert process.report.due_at - process.clock() == 10 * SECOND
    assert process.report.summary == "Done."  # of the last success


@pytest.mark.parametrize(
    ("error", "told", "has_traceback"),
    [
        (InvalidInput("The token\nhas no mint."), "The token has no mint.", False),
        (InvalidInput("x" * 1000), "x" * 300, False),
        (RefreshFailed("0 read. No endpoint."), "0 read. No endpoint.", False),
        (
            RuntimeError("https://key@rpc.example"),
            "It ended unexpectedly; the log has more.",
            True,
        ),
        (OperationalError("host=db password=p"), "The database did not answer.", True),
    ],
)
def test_failure_is_one_line_without_texts_that_may_hold_secrets(
    process: OneProcess, error, told, has_traceback, caplog, monkeypatch
):
    process.define_job(fail_with(error))
    tasks = set()
    monkeypatch.setattr(
        caplog.handler, "filters", [lambda _: tasks.add(find_context().task) or True]
    )
    with caplog.at_level(logging.ERROR):
        process.work()

    assert tasks == {"job"}  # which every line names
    assert process.report.failure == told
    assert process.report.failed_at == process.clock()
    assert f"The background task job failed: {told}" in caplog.text
    assert ("Traceback" in caplog.text) == has_traceback
    assert len(caplog.records) == 1


def test_program_that_a_job_ends_goes_on(process: OneProcess, caplog):
    process.define_job(fail_with(SystemExit()))

    assert process.work() == 1
    assert "ended without a report" in caplog.text
