"""What one look of a process starts, what becomes of it, and what is reported."""

import logging
import threading
from datetime import timedelta

import pytest
from peewee import OperationalError
from support.waiting import wait_for

from embed.db.models import Job as Report
from embed.db.work_status import Kind, claim_job, read_work_status
from embed.errors import InvalidInput
from embed.logs.context import find_context
from embed.runtime import EXTENSION
from embed.wallets.balance_refresh import RefreshFailed
from embed.worker import THREADS, Background, Job, Stopped

pytestmark = pytest.mark.databases("sqlite", "postgres")

HOUR = timedelta(hours=1)


class Process:
    """A process that looks when the test says so, and waits until what it started has ended."""

    def __init__(self, app, *jobs: Job, kind: Kind = "gunicorn") -> None:
        self.background = Background(app.extensions[EXTENSION], jobs, kind)

    def look(self) -> None:
        self.background._look()

    def work(self) -> None:
        self.look()
        wait_for(lambda: not self.background._running)


@pytest.fixture
def define(app):
    """Make a process with one job, ``run``."""

    def define(run, every: timedelta = HOUR) -> Process:
        return Process(app, Job("job", every, run))

    return define


def read_report() -> Report:
    return Report.get_by_id("job")


def test_job_is_due_at_once_and_then_a_period_after_its_start(define, clock):
    done = []
    began = clock()

    def take_a_minute(_runtime, _check) -> str:
        clock.forward(seconds=60)
        done.append(clock())
        return "Done."

    process = define(take_a_minute)
    process.work()
    report = read_report()
    assert (report.started_at, report.finished_at) == (began, clock())
    assert (report.due_at, report.summary, report.failure) == (began + HOUR, "Done.", None)

    clock.forward(seconds=3539)
    process.work()
    assert len(done) == 1
    clock.forward(seconds=1)
    process.work()
    assert len(done) == 2


def test_job_is_claimed_by_one_of_two_that_believe_to_lead(app, clock):
    assert claim_job("job", HOUR, clock())
    assert not claim_job("job", HOUR, clock())
    assert claim_job("other", HOUR, clock())
    clock.forward(hours=1)
    assert claim_job("job", HOUR, clock())


def test_job_that_runs_is_not_begun_again_and_at_most_four_run(app, clock):
    gate, begun = threading.Event(), []

    def wait(name):
        return lambda *_: begun.append(name) or (gate.wait(10) and "Done.")

    every = timedelta(milliseconds=1)
    process = Process(app, *(Job(name, every, wait(name)) for name in "abcdef"))
    process.look()
    clock.forward(hours=1)
    process.look()
    wait_for(lambda: len(begun) == THREADS)
    assert [job.name for job in read_work_status(clock()).jobs] == ["a", "b", "c", "d"]

    gate.set()
    wait_for(lambda: not process.background._running)
    assert sorted(begun) == ["a", "b", "c", "d"]


def test_job_of_a_process_that_stops_or_loses_the_lease_ends_and_is_due_at_once(define, app, clock):
    def run(_runtime, check_stop) -> str:
        check_stop()
        Process(app, kind="worker").look()
        process.look()
        with pytest.raises(Stopped):
            check_stop()
        return check_stop()

    process = define(run)
    process.work()

    report = read_report()
    assert (report.due_at, report.finished_at, report.failure) == (None, None, None)
    done = Process(app, Job("job", HOUR, lambda *_: "Done."), kind="worker")
    clock.forward(seconds=30)
    done.work()
    assert read_report().summary == "Done."


@pytest.mark.parametrize(
    ("error", "told", "has_traceback"),
    [
        (InvalidInput("The token\nhas no mint."), "The token has no mint.", False),
        (InvalidInput("x" * 1000), "x" * 300, False),
        (RefreshFailed("0 read. No endpoint."), "0 read. No endpoint.", False),
        (RuntimeError("https://key@rpc"), "It ended unexpectedly; see the log.", True),
        (OperationalError("host=db password=p"), "The database did not answer.", True),
    ],
)
def test_failure_is_one_line_without_texts_that_may_hold_secrets_until_a_success(
    define, clock, error, told, has_traceback, caplog, monkeypatch
):
    def fail(_runtime, _check):
        raise error

    tasks = set()
    monkeypatch.setattr(
        caplog.handler, "filters", [lambda _: tasks.add(find_context().task) or True]
    )
    with caplog.at_level(logging.ERROR):
        define(fail).work()

    assert tasks == {"job"}  # which every line names
    report = read_report()
    assert (report.failure, report.failed_at) == (told, clock())
    assert f"The background task job failed: {told}" in caplog.text
    assert ("Traceback" in caplog.text) == has_traceback

    clock.forward(hours=1)
    define(lambda *_: "Done.").work()
    report = read_report()
    assert (report.failure, report.failed_at, report.summary) == (None, None, "Done.")


def test_what_a_job_raises_ends_neither_the_process_nor_the_next_run(define, clock, caplog):
    def fail(_runtime, _check):
        raise SystemExit

    process = define(fail)
    process.work()
    assert "was interrupted" in caplog.text
    clock.forward(hours=1)
    process.work()
    assert read_report().started_at == clock()
