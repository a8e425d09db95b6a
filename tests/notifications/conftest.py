"""Pages with receivers on this machine."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.channel_fields import find_fields
from support.message_bodies import make_data
from support.receivers import HttpReceiver, Mailbox, run_http_receiver, run_mail_server

from embed.db.models import Delivery, Member, Message, Person, Receiver
from embed.domain import times
from embed.events.messages import send_messages
from embed.notifications import delivery, own_mail, receivers
from embed.outbound import Answer, Client
from embed.people import accounts
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
        change = self.world.change()
        return receivers.add_webhook(self.world.page_id, url, change, event_types=event_types)

    def add_channel(self, where: str, *event_types: str, **fields: str) -> Receiver:
        service, known = find_fields(where)
        page_id, change = self.world.page_id, self.world.change()
        return receivers.add_channel(
            page_id, service, known | fields, change, event_types=event_types
        )

    def join(self, email: str, role: str = "viewer", *, language: str | None = None) -> Person:
        """Put somebody new on the page."""
        now = self.world.clock()
        person = accounts.create_person(email, now, language=language)
        Member.create(page=self.world.page_id, person=person, role=role, created_at=now)
        return person

    def start_mail(self, person: Person) -> Receiver:
        """Let a person ask for mails of their own."""
        own_mail.start(self.world.page_id, person, self.world.change())
        return own_mail.find(self.world.page, person)

    def tell(self, message_type: str = "queue.filling", **data: object) -> str:
        """Leave a message for all receivers, and return its id."""
        message = (message_type, make_data(message_type, **data))
        send_messages(self.world.page_id, [message], self.world.clock())
        return Message.select().order_by(Message.number.desc()).get().id

    def tell_of_submission(self, nickname: str, status: str = "pending") -> None:
        self.tell("submission.created", nickname=nickname, status=status)

    def deliver(self, receiver: Receiver) -> None:
        delivery.deliver(receiver.id, self.runtime)

    def send_to(self, where: str) -> str:
        """Return why a message to a channel there failed, within seconds."""
        channel = self.add_channel(where)
        self.tell()
        started_at = time.monotonic()
        self.deliver(channel)
        assert time.monotonic() - started_at < 10
        ((state, attempts, reason),) = self.list_states(channel)
        assert (state, attempts) == ("waiting", 1)
        return reason

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
