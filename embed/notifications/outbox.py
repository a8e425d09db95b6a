"""What becomes of messages that were delivered or given up."""

from datetime import datetime, timedelta

from peewee import fn

from embed.db.models import Delivery, Message

KEPT = timedelta(days=30)
_BATCH = 1000


def prune(now: datetime) -> str:
    """Delete messages that are older than KEPT and wait for no receiver, with their deliveries."""
    count = 0
    while numbers := _find_old(now):  # in batches, so that nobody waits for long
        count += Message.delete().where(Message.number.in_(numbers)).execute()
    return f"{count} old messages deleted"


def _find_old(now: datetime) -> list[int]:
    waiting = Delivery.select(Delivery.id).where(
        Delivery.message == Message.number, Delivery.state == "waiting"
    )
    old = Message.select(Message.number).where(Message.created_at < now - KEPT, ~fn.EXISTS(waiting))
    return [message.number for message in old.limit(_BATCH)]
