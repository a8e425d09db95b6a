"""What becomes of messages that were delivered or given up."""

from datetime import datetime, timedelta

from peewee import fn

from embed.db.batches import delete_in_batches
from embed.db.models import Delivery, Message

KEPT = timedelta(days=30)


def prune(now: datetime) -> int:
    """Delete messages that are older than KEPT and wait for no receiver, with their deliveries.

    Return how many messages that were.
    """
    waiting = Delivery.select(Delivery.id).where(
        Delivery.message == Message.number, Delivery.state == "waiting"
    )
    is_old = (Message.created_at < now - KEPT) & ~fn.EXISTS(waiting)
    return delete_in_batches(Message.number, is_old)
