"""The transactional outbox: messages for a page's receivers, written with the change itself."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from embed.db.connection import db
from embed.db.models import Delivery, Message, Page, Receiver
from embed.serializers import write_json

MESSAGE_TYPES = (
    "submission.created",
    "submission.decided",
    "submission.withdrawn",
    "wallet.flagged",
    "queue.filling",
)
TEST = "test"  # sent on request, to one receiver


def send_message(page: Page, message_type: str, data: dict[str, Any], now: datetime) -> None:
    """Leave a message for each receiver of the page that wants this type.

    Call this in the transaction of the change, while the page is locked: so a message exists if
    and only if the change does, and a page's messages are numbered in the order of its changes.
    """
    receivers = [
        receiver.id
        for receiver in Receiver.select(Receiver.id, Receiver.event_types).where(
            Receiver.page == page
        )
        if not receiver.event_types or message_type in receiver.event_types
    ]
    if receivers:
        write_message(page.id, message_type, data, receivers, now)


def write_message(
    page_id: str,
    message_type: str,
    data: dict[str, Any],
    receiver_ids: Iterable[str],
    now: datetime,
) -> Message:
    """Add a message with a waiting delivery for each of these receivers."""
    message = Message.create(
        page=page_id,
        type=message_type,
        data=write_json({"trackingPageId": page_id} | data, is_compact=True).decode(),
        created_at=now,
    )
    Delivery.insert_many(
        [{"message": message, "receiver": each, "state": "waiting"} for each in receiver_ids]
    ).execute()
    return message


def lock_receivers(condition: Any) -> None:
    """Lock receivers until the transaction ends; always before their deliveries.

    Whoever removes a receiver locks it first, so the other order could deadlock.
    """
    if db.for_update:  # SQLite locks the whole database
        found = Receiver.select(Receiver.id).where(condition).order_by(Receiver.id)
        strength: Any = "FOR NO KEY UPDATE"  # peewee's stubs know none
        list(found.for_update(strength))
