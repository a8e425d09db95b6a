"""A worker that is killed in the midst of deliveries loses no message."""

import json
from threading import Event

import pytest
from scene import SERVICE, SHORT_LEASE_S, Scene
from support.message_bodies import make_data
from support.receivers import run_http_receiver
from support.world import World, change_at

from embed.db.connection import db
from embed.db.models import Delivery, Message, Page
from embed.domain import times
from embed.events.messages import send_messages
from embed.factory import create_app
from embed.notifications import receivers
from embed.settings import Settings

pytestmark = pytest.mark.slow

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
@pytest.mark.parametrize("scene", ["postgres"], indirect=True)
def test_killed_worker_loses_no_message_and_repeats_at_most_the_one_under_way(scene: Scene):
    with run_http_receiver() as receiver:
        ids = leave_messages(scene, receiver.url)
        is_killed = Event()
        receiver.before_answer = lambda: len(receiver.received) <= STOPPED_AT or is_killed.wait(60)
        work = {"ALLOW_PRIVATE_TARGETS": "1", "WORK_LEASE_S": str(SHORT_LEASE_S)}
        first = scene.start_worker(SERVICE, **work)
        scene.wait_for(lambda: len(receiver.received) > STOPPED_AT)
        scene.kill(first.process.pid)
        is_killed.set()

        scene.start_worker(SERVICE, **work)
        scene.wait_for(lambda: len(set(receiver.ids)) == MESSAGES)
        scene.wait_for(lambda: not Delivery.select().where(Delivery.state == "waiting").exists())

    assert list(dict.fromkeys(receiver.ids)) == ids  # in order
    assert len(receiver.ids) <= MESSAGES + 1
    numbers = {each.id: json.loads(each.body)["data"]["pending"] for each in receiver.received}
    assert [numbers[one] for one in ids] == list(range(MESSAGES))
