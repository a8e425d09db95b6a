"""The transactional outbox: messages for a page's receivers, written with the change itself."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from embed.db.batches import in_batches
from embed.db.connection import db, lock_rows
from embed.db.models import Delivery, Message, Receiver
from embed.domain.activity import find_address
from embed.serializers import write_json


def send_messages(
    page_id: str, messages: Iterable[tuple[str, Mapping[str, Any]]], now: datetime
) -> None:
    """Leave messages, each a type and its data, for the receivers of the page that want the type.

    Call this in the transaction of the change, while the page is locked: so a message exists if
    and only if the change does, and a page's messages are numbered in the order of its changes.
    """
    query = Receiver.select(Receiver.id, Receiver.event_types).where(Receiver.page == page_id)
    receivers = list(lock_rows(query, "FOR KEY SHARE"))  # a person's may go without the page's lock
    addressed = [
        (message_type, data, [one.id for one in receivers if _wants(one, message_type)])
        for message_type, data in messages
    ]
    write_messages(page_id, [one for one in addressed if one[2]], now)


def _wants(receiver: Receiver, message_type: str) -> bool:
    return not receiver.event_types or message_type in receiver.event_types


def write_messages(
    page_id: str,
    messages: Iterable[tuple[str, Mapping[str, Any], Sequence[str]]],
    now: datetime,
) -> list[int]:
    """Add messages, each a type, its data and the ids of receivers, with waiting deliveries.

    Return their numbers.
    """
    numbers: list[int] = []
    for batch in in_batches(messages):
        rows = [
            {
                "page": page_id,
                "type": message_type,
                "data": write_json({"trackingPageId": page_id, **data}, is_compact=True).decode(),
                "address": find_address(data),
                "created_at": now,
            }
            for message_type, data, _ in batch
        ]
        added: Any = Message.insert_many(rows).returning(Message.number).tuples().execute()
        new = sorted(number for (number,) in added)
        deliveries = [
            {"message": number, "receiver": each, "state": "waiting"}
            for number, (_, _, receiver_ids) in zip(new, batch, strict=True)
            for each in receiver_ids
        ]
        for some in in_batches(deliveries):
            Delivery.insert_many(some).execute()
        numbers += new
    return numbers


def lock_receivers(condition: Any) -> None:
    """Lock receivers until the transaction ends; always before their deliveries.

    Whoever removes a receiver locks it first, so the other order could deadlock.
    """
    if db.for_update:  # SQLite locks the whole database
        found = Receiver.select(Receiver.id).where(condition).order_by(Receiver.id)
        list(lock_rows(found, "FOR NO KEY UPDATE"))
