"""Who does the background work, and that nothing is lost or repeated when processes end."""

import json
from collections.abc import Iterator
from itertools import pairwise
from threading import Event

import pytest
import requests
from scene import SHORT_LEASE_S, Scene
from support.message_bodies import make_data
from support.receivers import run_http_receiver
from support.waiting import LIMIT_S
from support.world import World, change_at

from embed.db.connection import db
from embed.db.models import Delivery, Message, Page
from embed.domain import times
from embed.events.messages import send_messages
from embed.factory import create_app
from embed.notifications import receivers
from embed.settings import Settings

pytestmark = pytest.mark.slow

# Where processes take the work from each other.
on_postgres = pytest.mark.databases("postgres")


@pytest.fixture
def scene(database_url, tmp_path) -> Iterator[Scene]:
    """A database, in which nobody works yet."""
    scene = Scene(tmp_path, database_url)
    yield scene
    scene.end()


def pids_of(entries) -> set[int]:
    return {entry.pid for entry in entries}


@on_postgres
def test_of_two_workers_one_works_and_when_it_is_killed_the_other_does_what_is_due(
    scene: Scene, tmp_path
):
    gate = tmp_path / "gate"
    work = {"WORK_GATE": str(gate), "WORK_LEASE_S": str(SHORT_LEASE_S), "WORK_EVERY_S": "0.1"}
    workers = {scene.start_worker(**work).process.pid for _ in range(2)}
    (begun,) = scene.wait_for(lambda: scene.list("begin"))
    assert scene.ask_status()["process"]["processId"] == begun.pid

    scene.kill(begun.pid)
    gate.touch()

    scene.wait_for_ends(3)
    assert pids_of(scene.list("end")) == workers - {begun.pid}
    (second, *_) = scene.list("end")
    assert scene.ask_status()["process"]["processId"] == second.pid


def test_work_goes_on_while_processes_are_replaced_and_is_never_done_twice_at_once(
    scene: Scene, redis_url
):
    server = scene.start_gunicorn(
        *("--workers", "3", "--max-requests", "10", "--max-requests-jitter", "10"),
        WORK_EVERY_S="0.001",
        RATELIMIT_STORAGE_URI=redis_url,
    )
    url = f"http://127.0.0.1:{scene.port}/healthz"

    def work_by_three() -> bool:
        requests.get(url, timeout=LIMIT_S)
        return len(pids_of(scene.list("end"))) >= 3

    scene.wait_for(work_by_three)
    # A process may end without its job, but no other has begun while one is at it.
    for before, entry in pairwise(scene.list_all()):
        assert entry.what == "begin" or (before.what, before.pid) == ("begin", entry.pid)
    assert scene.stop(server) < LIMIT_S
    assert server.process.pid not in pids_of(scene.list("begin"))
    assert "Traceback" not in scene.read_said()


def test_flask_worker_takes_the_work_from_gunicorn_which_does_it_when_that_has_ended(scene: Scene):
    server = scene.start_gunicorn(WORK_EVERY_S="0.1")
    scene.wait_for(lambda: scene.list("end"))
    worker = scene.start_worker(WORK_EVERY_S="0.1")
    scene.wait_for(lambda: worker.process.pid in pids_of(scene.list("end")))
    scene.wait_for_ends(5)
    assert pids_of(scene.list("end")[-4:]) == {worker.process.pid}
    assert scene.ask_status()["process"]["kind"] == "worker"

    scene.stop(worker)

    assert worker.process.returncode == 0
    scene.wait_for(lambda: worker.process.pid not in pids_of(scene.list("end")[-3:]))
    assert server.process.poll() is None


def test_gunicorn_stops_at_once_although_a_job_runs(scene: Scene):
    server = scene.start_gunicorn(WORK_TASK_S="30", WORK_JOBS="a b c d")
    scene.wait_for(lambda: len(scene.list("begin")) == 4)

    assert scene.stop(server) < 8
    assert scene.list("end") == []
    assert scene.read_said() == ""
    assert not scene.ask_status()["isWorking"]


@on_postgres
def test_worker_that_is_stopped_ends_its_jobs_and_the_next_does_them_again(scene: Scene):
    work = {"WORK_TASK_S": "0.4", "WORK_JOBS": "a b c d e f"}
    worker = scene.start_worker(**work)
    scene.wait_for(lambda: scene.list("begin"))

    assert scene.stop(worker) < 8

    assert worker.process.returncode == 0
    assert not scene.ask_status()["isWorking"]
    assert scene.list("end") == []
    scene.start_worker(**work)
    scene.wait_for(lambda: {entry.name for entry in scene.list("end")} == set("abcdef"))


# Deliveries


MESSAGES = 200
STOPPED_AT = 60


def leave_messages(scene: Scene, target: str) -> list[str]:
    """Leave a webhook and messages for it in the scene's database; return the messages' ids."""
    settings = Settings.from_environ(scene.environ | {"ALLOW_PRIVATE_TARGETS": "1"})
    world = World(create_app(settings), times.now)
    now = times.now()
    receivers.add_webhook(world.page_id, target, change_at(now, settings=settings))
    page = Page.get_by_id(world.page_id)
    with db.atomic():
        for number in range(MESSAGES):
            message = ("queue.filling", make_data("queue.filling", pending=number))
            send_messages(page.id, [message], now)
    return [message.id for message in Message.select().order_by(Message.number)]


@pytest.fixture
def database_here():
    """Close the database that the test opens in this process."""
    yield
    db.close()


@pytest.mark.usefixtures("database_here")
@on_postgres
def test_killed_worker_loses_no_message_and_repeats_at_most_the_one_under_way(scene: Scene):
    with run_http_receiver() as receiver:
        ids = leave_messages(scene, receiver.url)
        is_killed = Event()
        receiver.before_answer = lambda: len(receiver.received) <= STOPPED_AT or is_killed.wait(60)
        work = {"ALLOW_PRIVATE_TARGETS": "1", "WORK_LEASE_S": str(SHORT_LEASE_S), "WORK_JOBS": ""}
        first = scene.start_worker(**work)
        scene.wait_for(lambda: len(receiver.received) > STOPPED_AT)
        scene.kill(first.process.pid)
        is_killed.set()

        scene.start_worker(**work)
        scene.wait_for(lambda: len(set(receiver.ids)) == MESSAGES)
        scene.wait_for(lambda: not Delivery.select().where(Delivery.state == "waiting").exists())

    assert list(dict.fromkeys(receiver.ids)) == ids  # in order
    assert len(receiver.ids) <= MESSAGES + 1
    numbers = {each.id: json.loads(each.body)["data"]["pending"] for each in receiver.received}
    assert [numbers[one] for one in ids] == list(range(MESSAGES))
