"""Receivers of a page for tests of the dashboard, and messages for them."""

from typing import Any

from support.channel_fields import find_fields
from support.message_bodies import make_data

from embed.db.connection import db
from embed.db.models import Delivery, Message, Receiver
from embed.domain.identifiers import make_id
from embed.events.messages import send_messages
from embed.notifications import delivery, receivers
from embed.runtime import EXTENSION


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}/settings/notifications", *more])


def add_webhook(world, url="https://hooks.example/secret-path", *, page_id=None) -> Receiver:
    return receivers.add_webhook(page_id or world.page_id, url, world.change())


def add_channel(world, where="ntfy") -> Receiver:
    return receivers.add_channel(world.page_id, *find_fields(where), world.change())


def tell(world, message_type="queue.filling", *, page=None, **data: Any) -> Message:
    """Leave a message for all receivers of a page that want it."""
    message = (message_type, make_data(message_type, **data))
    send_messages(page.id if page else world.page_id, [message], world.clock())
    return Message.select().order_by(Message.number.desc()).get()


def deliver(world, receiver: Receiver) -> None:
    """Do what the background work does for a receiver."""
    delivery.deliver(receiver.id, world.app.extensions[EXTENSION])


def give_up(world, receiver: Receiver, answer="503 Service Unavailable") -> None:
    """Make all that waits for a receiver look as if it was tried for a day."""
    Delivery.update(state="given_up", attempts=9, attempted_at=world.clock(), answer=answer).where(
        Delivery.receiver == receiver, Delivery.state == "waiting"
    ).execute()


def add_deliveries(world, receiver: Receiver, count: int, state="delivered") -> None:
    """Add up to 500 messages at once."""
    world.clock.forward(seconds=1)
    data = '{"trackingPageId":"","pending":8,"queueCapacity":10}'
    told = {"page": receiver.page_id, "type": "queue.filling", "data": data}
    told["created_at"] = world.clock()
    tried = {"receiver": receiver.id, "state": state, "attempts": 1, "answer": "204 No Content"}
    tried["attempted_at"] = world.clock()
    ids = [make_id() for _ in range(count)]
    with db.atomic():
        Message.insert_many([told | {"id": one} for one in ids]).execute()
        added = Message.select(Message.number).where(Message.id.in_(ids))
        Delivery.insert_many([tried | {"message": one.number} for one in added]).execute()
