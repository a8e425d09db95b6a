"""Pages with receivers on this machine."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.channel_fields import find_fields
from support.message_bodies import make_data
from support.receivers import HttpReceiver, Mailbox, run_http_receiver, run_mail_server
from support.world import change_at

from embed.db.models import Delivery, Message, Receiver
from embed.domain import times
from embed.events.messages import send_messages
from embed.notifications import delivery, receivers
from embed.outbound import Answer, Client
from embed.runtime import EXTENSION, Runtime


@pytest.fixture(autouse=True)
def time_enough(monkeypatch) -> None:
    """A call of deliver() is not cut off, however busy the machine is."""
    monkeypatch.setattr(delivery, "MAX_TIME_S", 60)


@pytest.fixture
def open_world(world_with):
    """A page whose receivers may be on this machine; its clock starts now, as receivers check."""
    world = world_with(ALLOW_PRIVATE_TARGETS="1")
    world.clock.now = times.now()
    return world


@pytest.fixture
def runtime(request) -> Runtime:
    return request.getfixturevalue("app").extensions[EXTENSION]


@pytest.fixture
def http_receiver() -> Iterator[HttpReceiver]:
    with run_http_receiver() as receiver:
        yield receiver


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with run_mail_server() as server:
        yield server


@dataclass
class Sent:
    url: str
    content: dict[str, Any]


@pytest.fixture
def sent(monkeypatch) -> list[Sent]:
    """What well-known services would be sent; their own servers are not asked."""
    found: list[Sent] = []

    def catch(_client, _method, url, body, **_how) -> Answer:
        found.append(Sent(url, json.loads(body)))
        return Answer(200, (), b"")

    monkeypatch.setattr(Client, "request", catch)
    return found


class Owner:
    """What the owner of a page with receivers does and sees."""

    def __init__(self, world, runtime: Runtime) -> None:
        self.world = world
        self.runtime = runtime

    def add_webhook(self, url: str, *event_types: str) -> Receiver:
        return receivers.add_webhook(
            self.world.page_id,
            url,
            change_at(self.world.clock(), settings=self.runtime.settings),
            event_types=event_types,
        )

    def add_channel(self, where: str, *event_types: str, **fields: str) -> Receiver:
        service, known = find_fields(where)
        return receivers.add_channel(
            self.world.page_id,
            service,
            known | fields,
            change_at(self.world.clock(), settings=self.runtime.settings),
            event_types=event_types,
        )

    def tell(self, message_type: str = "queue.filling", **data: object) -> str:
        """Leave a message for all receivers, and return its id."""
        message = (message_type, make_data(message_type, **data))
        send_messages(self.world.page_id, [message], self.world.clock())
        return Message.select().order_by(Message.number.desc()).get().id

    def tell_often(self, count: int) -> None:
        messages = [("queue.filling", make_data("queue.filling"))] * count
        send_messages(self.world.page_id, messages, self.world.clock())

    def tell_of_submission(self, nickname: str, status: str = "pending") -> None:
        self.tell("submission.created", nickname=nickname, status=status)

    def deliver(self, receiver: Receiver) -> None:
        delivery.deliver(receiver.id, self.runtime)

    def list_states(self, receiver: Receiver) -> list[tuple[str, int, str | None]]:
        """Return state, attempts and answer of the receiver's deliveries, oldest first."""
        found = Delivery.select().where(Delivery.receiver == receiver).order_by(Delivery.message)
        return [(each.state, each.attempts, each.answer) for each in found]

    def read(self, receiver: Receiver) -> Receiver:
        return Receiver.get_by_id(receiver.id)


@pytest.fixture
def owner(open_world, runtime) -> Owner:
    return Owner(open_world, runtime)


@pytest.fixture
def owner_with(world_with, request) -> Callable[..., Owner]:
    """Make the owner with some settings: ``owner_with(PUBLIC_URL=...)``."""

    def make(**variables: str) -> Owner:
        world = world_with(**variables)
        world.clock.now = times.now()
        return Owner(world, request.getfixturevalue("runtime"))

    return make
