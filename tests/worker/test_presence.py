"""Who does the background work, as processes report it, and what the commands tell of it."""

import json
from datetime import timedelta

import pytest

from embed.db.models import Job, WorkerProcess
from embed.db.work_status import SEEN_WITHIN, read_work_status, remove_process, report_process
from embed.runtime import EXTENSION
from embed.worker.background import should_work

pytestmark = pytest.mark.databases("sqlite", "postgres")

MS = timedelta(milliseconds=1)
ME = "a" * 20


@pytest.fixture
def settings(app):
    return app.extensions[EXTENSION].settings


def run_status(app, *options: str) -> str:
    arguments = ["worker", "status", *options]
    result = app.test_cli_runner().invoke(args=arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return str(result.stdout)


def test_gunicorn_works_until_a_worker_reports_and_again_when_that_is_gone(settings, clock):
    def does_gunicorn_work() -> bool:
        return should_work("gunicorn", settings, clock())

    report_process("b" * 20, "gunicorn", clock(), clock())
    assert does_gunicorn_work()

    report_process(ME, "worker", clock(), clock())
    clock.now += SEEN_WITHIN - MS
    assert not does_gunicorn_work()
    clock.now += MS
    assert does_gunicorn_work()

    report_process(ME, "worker", clock(), clock())
    assert not does_gunicorn_work()
    remove_process(ME)
    assert does_gunicorn_work()


@pytest.mark.databases("sqlite")
def test_worker_always_works_and_gunicorn_never_where_that_is_left_to_it(world_with, clock):
    world = world_with(BACKGROUND="worker")
    settings = world.app.extensions[EXTENSION].settings

    assert should_work("worker", settings, clock())
    assert not should_work("gunicorn", settings, clock())


def test_report_is_one_row_and_drops_those_of_a_day_ago(app, clock):
    report_process("b" * 20, "worker", clock(), clock())
    clock.forward(days=1)
    began = clock()
    report_process(ME, "worker", began, clock())
    assert WorkerProcess.select().count() == 2

    clock.forward(seconds=10)
    report_process(ME, "worker", began, clock())

    (row,) = WorkerProcess.select()
    assert (row.id, row.started_at, row.seen_at) == (ME, began, clock())


def test_old_reports_of_keys_are_dropped_but_none_of_a_periodic_job(app, clock):
    old = clock()
    clock.forward(days=1, seconds=1)
    now = clock()
    for name, fields in {
        "balances": {},
        "receiver old": {},
        "receiver new": {"started_at": now},
        "receiver leased": {"leased_until": now},
        "receiver failed": {"due_at": now},
    }.items():
        Job.create(**{"name": name, "started_at": old} | fields)

    report_process(ME, "worker", now, now)

    kept = {job.name for job in Job.select()}
    assert kept == {"balances", "receiver new", "receiver leased", "receiver failed"}


# Status


def test_status_says_when_nobody_works_and_what_to_do(app):
    assert (
        run_status(app) == "The background work is not running. Start gunicorn or flask worker.\n"
    )
    assert json.loads(run_status(app, "--json")) == {
        "isWorking": False,
        "processes": [],
        "jobs": [],
    }


@pytest.mark.databases("sqlite")
def test_status_names_the_command_where_gunicorn_does_no_work(world_with):
    world = world_with(BACKGROUND="worker")

    assert run_status(world.app) == (
        "The background work is not running."
        " As BACKGROUND is worker, gunicorn does not do it: start flask worker.\n"
    )


def test_status_tells_processes_and_jobs(app, clock):
    began = clock()
    report_process(ME, "worker", began, began)
    clock.forward(seconds=5)
    Job.create(
        name="balances",
        due_at=clock() + timedelta(minutes=1),
        started_at=began,
        finished_at=began,
        summary="Read 3 balances.",
        failed_at=clock(),
        failure="RpcUnavailable: no endpoint answers",
    )

    told = json.loads(run_status(app, "--json"))

    assert told["isWorking"]
    (process,) = told["processes"]
    assert (process["kind"], process["seenAtIso"]) == ("worker", "2026-01-31T09:30:00.000Z")
    assert told["jobs"] == [
        {
            "name": "balances",
            "isRunning": False,
            "startedAtIso": "2026-01-31T09:30:00.000Z",
            "finishedAtIso": "2026-01-31T09:30:00.000Z",
            "summary": "Read 3 balances.",
            "failedAtIso": "2026-01-31T09:30:05.000Z",
            "failure": "RpcUnavailable: no endpoint answers",
            "dueAtIso": "2026-01-31T09:31:05.000Z",
        }
    ]
    assert "RpcUnavailable: no endpoint answers" in run_status(app)
    assert "Nobody" not in run_status(app)


def test_tasks_of_one_kind_are_reported_together(app, clock):
    early, late = clock(), clock() + timedelta(seconds=1)
    Job.create(name="receiver a", started_at=early, finished_at=early, summary="Sent 1.")
    Job.create(name="receiver b", started_at=late, finished_at=late, summary="Sent 2.")
    Job.create(name="receiver c", started_at=early, failed_at=early, failure="no", due_at=late)
    Job.create(name="receiver d", leased_by="x", leased_until=late + timedelta(minutes=1))

    (report,) = read_work_status(late).jobs

    assert (report.name, report.is_running, report.due_at) == ("receiver", True, None)
    assert (report.started_at, report.finished_at, report.summary) == (late, late, "Sent 2.")
    assert (report.failed_at, report.failure) == (early, "no")


def test_task_whose_lease_is_from_before_the_clock_went_back_does_not_run(app, clock):
    Job.create(name="feed", leased_by="x", leased_until=clock() + timedelta(hours=1))

    (report,) = read_work_status(clock()).jobs

    assert not report.is_running
