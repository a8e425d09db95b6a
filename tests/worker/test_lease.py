"""Which process does the background work, and what the commands tell of it."""

import json
from datetime import timedelta

import pytest
from support.remote import at_once

from embed.db.connection import db
from embed.db.models import Job, Lease
from embed.db.work_status import LEASE, find_lease, hold_lease, release_lease
from embed.runtime import EXTENSION
from embed.worker import Background

pytestmark = pytest.mark.databases("sqlite", "postgres")

MS = timedelta(milliseconds=1)


@pytest.fixture
def hold(app, clock):
    return lambda holder, kind="gunicorn": hold_lease(holder, kind, clock(), clock())


def test_lease_has_one_holder_until_it_is_not_renewed(hold, clock):
    assert hold("a")
    assert not hold("b")
    clock.now += LEASE - MS
    assert not hold("b")
    assert hold("a")
    clock.now += LEASE - MS
    assert not hold("b")
    clock.now += MS
    assert hold("b")
    assert not hold("a")


def test_flask_worker_takes_it_from_gunicorn_which_gets_it_back_when_that_ends(hold, clock):
    assert hold("a")
    assert hold("b", "worker")
    assert not hold("a")
    assert not hold("c", "worker")

    release_lease("a")
    assert find_lease(clock()).holder == "b"
    release_lease("b")
    assert hold("a")


def test_of_many_who_ask_at_once_one_gets_it(hold):
    def ask(holder: str) -> bool:
        try:
            return hold(holder)
        finally:
            db.close()

    answers = at_once([lambda holder=str(number): ask(holder) for number in range(8)])
    assert sorted(answers) == [False] * 7 + [True]


@pytest.mark.databases("sqlite")
def test_gunicorn_never_works_where_that_is_left_to_flask_worker(world_with):
    app = world_with(BACKGROUND="worker").app
    for kind, count in (("gunicorn", 0), ("worker", 1)):
        Background(app.extensions[EXTENSION], (), kind)._look()
        assert Lease.select().count() == count


# Status


def run_status(app, *options: str) -> str:
    arguments = ["worker", "status", *options]
    result = app.test_cli_runner().invoke(args=arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return str(result.stdout)


def test_status_says_when_nobody_works_and_what_to_do(app):
    stopped = "The background work isn't running. Start gunicorn, or flask worker; with BACKGROUND"
    assert run_status(app).startswith(stopped)
    told = {"isWorking": False, "process": None, "jobs": []}
    assert json.loads(run_status(app, "--json")) == told


def test_status_tells_the_process_and_its_jobs(app, hold, clock):
    hold("a", "worker")
    began = clock()
    clock.forward(seconds=5)
    Job.create(
        name="balances",
        due_at=clock() + timedelta(minutes=1),
        started_at=began,
        finished_at=began,
        summary="Read 3 balances.",
        failed_at=clock(),
        failure="No endpoint answers.",
    )
    Job.create(name="listings", started_at=clock())

    told = json.loads(run_status(app, "--json"))

    assert told["isWorking"]
    assert (told["process"]["kind"], told["process"]["seenAtIso"]) == (
        "worker",
        "2026-01-31T09:30:00.000Z",
    )
    assert told["jobs"][0] == {
        "name": "balances",
        "isRunning": False,
        "startedAtIso": "2026-01-31T09:30:00.000Z",
        "finishedAtIso": "2026-01-31T09:30:00.000Z",
        "summary": "Read 3 balances.",
        "failedAtIso": "2026-01-31T09:30:05.000Z",
        "failure": "No endpoint answers.",
        "dueAtIso": "2026-01-31T09:31:05.000Z",
    }
    assert told["jobs"][1]["isRunning"]
    assert "balances failed at 2026-01-31T09:30:05.000Z: No endpoint answers." in run_status(app)
