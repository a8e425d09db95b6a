"""Who does the background work, and that nothing is lost or repeated when processes end."""

import json
import os
import signal
import time
from itertools import pairwise

import pytest
import requests
from scene import SHORT_LEASE_S, Scene
from support.servers import PROJECT_DIR
from support.waiting import LIMIT_S

from embed.db.schema_version import list_migrations

pytestmark = pytest.mark.slow

# Where processes take the work from each other; the others run on SQLite.
on_postgres = pytest.mark.parametrize("scene", ["postgres"], indirect=True)


def pids_of(entries) -> set[int]:
    return {entry.pid for entry in entries}


@on_postgres
def test_of_several_workers_one_does_a_periodic_task_each_time(scene: Scene):
    for _ in range(2):
        scene.start_worker(WORK_JOBS="count often", WORK_TASK_S="0.1")

    scene.wait_for(lambda: len(json.loads(scene.ask_status("--json"))["processes"]) == 2)
    scene.wait_for_more("end", "often", 5)

    # One is due again as soon as it has ended, and never done by two at a time.
    entries = scene.list_all("often")
    assert [entry.what for entry in entries[:10]] == ["begin", "end"] * 5
    assert [entry.what for entry in scene.list_all("count")] == ["begin", "end"]


@on_postgres
def test_task_of_a_killed_worker_is_done_once_by_another(scene: Scene, tmp_path):
    gate = tmp_path / "gate"
    work = {"WORK_GATE": str(gate), "WORK_LEASE_S": str(SHORT_LEASE_S)}
    workers = [scene.start_worker(**work).process.pid for _ in range(2)]
    (begun,) = scene.wait_for(lambda: scene.list("begin", "count"))
    scene.wait_for(lambda: len(json.loads(scene.ask_status("--json"))["processes"]) == 2)

    scene.kill(begun.pid)
    gate.touch()

    (ended,) = scene.wait_for(lambda: scene.list("end", "count"))
    assert {begun.pid, ended.pid} == set(workers)
    time.sleep(0.3)  # several looks of the other
    assert len(scene.list("begin", "count")) == 2


def test_worker_says_everything_in_the_form_of_the_log_at_its_level(make_bare_database, tmp_path):
    scene = Scene(tmp_path, make_bare_database("sqlite"))  # which it upgrades
    try:
        worker = scene.start_worker(PROJECT_DIR / "app.py", LOG_FORMAT="json")
        scene.wait_for(lambda: f"upgraded: {list_migrations()[-1]}" in scene.read_said())
        scene.stop(worker)
    finally:
        scene.end()

    lines = [json.loads(line) for line in scene.read_said().splitlines()]
    assert {line["level"] for line in lines} == {"INFO"}
    messages = [line["message"] for line in lines]
    assert {"Doing the background work; press Ctrl-C to stop.", "Stopping."} <= set(messages)


def test_gunicorn_alone_does_the_work_and_goes_on_after_a_reload(scene: Scene, redis_url):
    shared = {"RATELIMIT_STORAGE_URI": redis_url}
    server = scene.start_gunicorn("--workers", "2", WORK_EVERY_S="0.1", **shared)
    scene.wait_for_more("end", "count", 3)
    before = pids_of(scene.list("end", "count"))

    os.kill(server.process.pid, signal.SIGHUP)

    scene.wait_for(lambda: pids_of(scene.list("end", "count")[-3:]).isdisjoint(before))
    assert server.process.pid not in pids_of(scene.list("begin"))
    assert scene.stop(server) < 8
    assert scene.read_said() == ""


def test_work_goes_on_while_processes_are_replaced_and_is_never_done_twice_at_once(
    scene: Scene, redis_url
):
    server = scene.start_gunicorn(
        *("--workers", "3", "--max-requests", "10", "--max-requests-jitter", "10"),
        WORK_JOBS="often",
        RATELIMIT_STORAGE_URI=redis_url,
    )
    url = f"http://127.0.0.1:{scene.port}/healthz"

    def work_by_three() -> bool:
        requests.get(url, timeout=LIMIT_S)
        return len(pids_of(scene.list("end", "often"))) >= 3

    scene.wait_for(work_by_three)
    entries = scene.list_all("often")
    # A process may end without its task, but no other has begun while one is at it.
    for before, entry in pairwise(entries):
        assert entry.what == "begin" or (before.what, before.pid) == ("begin", entry.pid)
    assert scene.stop(server) < LIMIT_S
    assert "Traceback" not in scene.read_said()


def test_gunicorn_leaves_the_work_to_flask_worker_and_does_it_when_that_has_ended(scene: Scene):
    worker = scene.start_worker(WORK_EVERY_S="0.1")
    scene.wait_for(lambda: scene.list("end", "count"))
    server = scene.start_gunicorn(WORK_EVERY_S="0.1")
    scene.wait_for_more("end", "count", 5)
    assert pids_of(scene.list("begin")) == {worker.process.pid}
    (reported,) = json.loads(scene.ask_status("--json"))["processes"]
    assert reported["kind"] == "worker"

    scene.stop(worker)

    assert worker.process.returncode == 0
    scene.wait_for(lambda: len(pids_of(scene.list("end", "count"))) == 2)
    assert server.process.poll() is None


def test_gunicorn_stops_at_once_although_a_task_runs(scene: Scene):
    server = scene.start_gunicorn(WORK_TASK_S="30", WORK_KEYS="slow1 slow2 slow3")
    scene.wait_for(lambda: len(scene.list("begin")) == 4)

    assert scene.stop(server) < 8
    assert scene.list("end") == []
    assert scene.read_said() == ""
    assert not json.loads(scene.ask_status("--json"))["isWorking"]


@on_postgres
def test_worker_that_is_stopped_finishes_its_tasks_and_leaves_the_others(scene: Scene):
    keys = [f"slow{number}" for number in range(12)]
    work = {"WORK_TASK_S": "0.4", "WORK_KEYS": " ".join(keys), "WORK_JOBS": ""}
    worker = scene.start_worker(**work)
    scene.wait_for(lambda: scene.list("begin"))

    assert scene.stop(worker) < 8

    assert worker.process.returncode == 0
    begun = {entry.name for entry in scene.list("begin")}
    assert begun == {entry.name for entry in scene.list("end")} < set(keys)
    assert not json.loads(scene.ask_status("--json"))["isWorking"]

    scene.start_worker(**work)
    scene.wait_for(lambda: len(scene.list("end")) == len(keys))
    assert sorted(entry.name for entry in scene.list("begin")) == sorted(keys)


def test_slow_task_delays_no_other_and_keeps_its_lease_longer_than_that_lasts(
    scene: Scene, tmp_path
):
    gate = tmp_path / "gate"
    keys = ["slow1", "slow2", *"abcdef"]
    work = {"WORK_GATE": str(gate), "WORK_KEYS": " ".join(keys), "WORK_JOBS": ""}
    work["WORK_LEASE_S"] = str(SHORT_LEASE_S)
    for _ in range(2):
        scene.start_worker(**work)

    scene.wait_for(lambda: {entry.name for entry in scene.list("end")} == set("abcdef"))
    time.sleep(SHORT_LEASE_S + 0.5)
    gate.touch()

    scene.wait_for(lambda: len(scene.list("end")) == len(keys))
    assert sorted(entry.name for entry in scene.list("begin")) == sorted(keys)  # nothing twice


def test_gunicorn_leaves_the_work_to_flask_worker_alone_if_told_so(scene: Scene):
    """By the old setting; test_across_instances.py and the deployments have BACKGROUND=worker."""
    scene.environ["QUEUE_URL"] = "redis://:hush@127.0.0.1:1/1"
    scene.start_gunicorn()
    time.sleep(0.3)  # several looks
    assert scene.list("begin") == []
    assert "start flask worker" in scene.ask_status()

    worker = scene.start_worker()

    (entry,) = scene.wait_for(lambda: scene.list("end", "count"))
    assert entry.pid == worker.process.pid
    assert "start flask worker" not in scene.ask_status()
    # Each of them says at its start which setting replaces the old one.
    said = scene.read_said()
    assert said.count("Set BACKGROUND=worker in its place.") == 2
    assert "hush" not in said
