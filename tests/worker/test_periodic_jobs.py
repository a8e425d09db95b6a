"""When periodic jobs are due, what is reported of them, and what follows a failure."""

import logging
from datetime import timedelta

import pytest
from one_process import HOUR, KnownError, OneProcess, fail_with, succeed
from peewee import OperationalError

from embed.logs.work import find_work

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


def test_job_that_waits_in_the_queue_is_not_enqueued_again(process: OneProcess):
    process.define_job(succeed)

    assert process.look() == 1
    assert process.look() == 1
    assert process.run_all() == 1


def test_task_that_was_lost_with_the_queue_is_enqueued_again_when_its_lease_is_over(
    process: OneProcess,
):
    process.define_job(succeed)
    process.look()
    process.queue.storage.flush_queue()
    assert process.look() == 0

    process.clock.now += process.timing.lease

    assert process.work() == 1
    assert process.report.summary == "Done."


def test_task_that_stood_in_the_queue_too_long_leaves_it_to_the_newer_one(process: OneProcess):
    done = []
    process.define_job(lambda *_: done.append(1) or "Done.")
    process.look()
    process.clock.now += process.timing.lease
    process.look()

    assert process.run_all() == 2
    assert done == [1]


def test_task_that_is_in_the_queue_twice_runs_once(process: OneProcess):
    done = []
    process.define_job(lambda *_: done.append(1) or "Done.")
    process.look()
    (task,) = process.queue.storage.enqueued_items()
    process.queue.storage.enqueue(task)

    assert process.run_all() == 2
    assert done == [1]


def test_job_that_another_process_did_since_this_one_looked_is_not_done_again(
    process: OneProcess, monkeypatch
):
    process.define_job(succeed)
    process.work()
    monkeypatch.setattr(process.dispatcher, "_list_blocked", lambda _now: set())

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
    process.define_job(fail_with(KnownError("no")), timedelta(seconds=60))

    waits = []
    for _ in range(5):
        assert process.work() == 1
        waits.append((process.report.due_at - process.clock()).total_seconds())
        process.clock.now = process.report.due_at - SECOND
        assert process.work() == 0
        process.forward(seconds=1)
    assert waits == [10, 20, 40, 60, 60]


def test_success_ends_the_growing_of_waits_and_clears_the_failure(process: OneProcess):
    process.define_job(fail_with(KnownError("no")))
    process.work()
    process.define_job(succeed)
    process.clock.now = process.report.due_at
    process.work()
    assert (process.report.failure, process.report.failed_at) == (None, None)

    process.define_job(fail_with(KnownError("no")))
    process.clock.now = process.report.due_at
    process.work()
    assert process.report.due_at - process.clock() == 10 * SECOND
    assert process.report.summary == "Done."  # of the last success


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (KnownError("The token\nhas no mint."), "KnownError: The token has no mint."),
        (KnownError("x" * 1000), f"KnownError: {'x' * 288}"),
        (RuntimeError("https://key@rpc.example"), "RuntimeError; the log has more."),
        (OperationalError("host=db password=p"), "The database did not answer."),
    ],
)
def test_failure_is_one_line_without_texts_that_may_hold_secrets(
    process: OneProcess, error, told, caplog, monkeypatch
):
    process.define_job(fail_with(error))
    tasks = set()
    monkeypatch.setattr(caplog.handler, "filters", [lambda _: tasks.add(find_work().task) or True])
    with caplog.at_level(logging.ERROR):
        process.work()

    assert tasks == {"job"}  # which every line names
    assert process.report.failure == told
    assert process.report.failed_at == process.clock()
    assert "The background task job failed." in caplog.text
    assert "Traceback" in caplog.text


def test_program_that_a_job_ends_goes_on(process: OneProcess, caplog):
    process.define_job(fail_with(SystemExit()))

    assert process.work() == 1
    assert "ended without a report" in caplog.text
