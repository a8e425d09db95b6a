"""Messages for a page's receivers: what each type holds, and the outbox they're written to.

Their data is the same as in the activity log (docs/api.md, Webhooks).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from embed.db.batches import in_batches
from embed.db.connection import db, lock_rows
from embed.db.models import Delivery, Message, Receiver
from embed.events.kinds import HoldingFacts, SubmissionFacts, WithdrawalFacts, find_address
from embed.schemas import Json
from embed.serializers import write_json

_Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class MessageData(Json):
    """What every message holds besides the fields of its type."""

    tracking_page_id: str


class QueueFilling(Json):
    pending: _Count
    queue_capacity: _Count


TEST = "test"  # sent on request, to one receiver
DATA_BY_TYPE: Mapping[str, type[Struct]] = {
    "submission.created": SubmissionFacts,
    "submission.decided": SubmissionFacts,
    "submission.withdrawn": WithdrawalFacts,
    "wallet.flagged": HoldingFacts,
    "queue.filling": QueueFilling,
    TEST: MessageData,
}
MESSAGE_TYPES = tuple(each for each in DATA_BY_TYPE if each != TEST)  # that a receiver may choose


def read_data(message_type: str, data: str) -> Any:
    """Return a message's data as the Struct of its type."""
    return msgspec.json.decode(data, type=DATA_BY_TYPE[message_type])


def send_messages(
    page_id: str, messages: Iterable[tuple[str, Mapping[str, Any]]], now: datetime
) -> None:
    """Add messages, each a type and its data, for the page's receivers that want the type.

    Call this in the change's transaction, while the page is locked: then a message exists if and
    only if the change does, and a page's messages are numbered in the order of its changes.
    """
    query = Receiver.select(Receiver.id, Receiver.event_types).where(Receiver.page == page_id)
    receivers = list(lock_rows(query, "FOR KEY SHARE"))  # removing a person takes no page lock
    addressed = [
        (kind, data, [r.id for r in receivers if not r.event_types or kind in r.event_types])
        for kind, data in messages
    ]
    write_messages(page_id, [one for one in addressed if one[2]], now)


def write_messages(
    page_id: str, messages: Iterable[tuple[str, Mapping[str, Any], Sequence[str]]], now: datetime
) -> list[int]:
    """Add messages, each a type, its data and its receivers' ids, with waiting deliveries.

    Returns their numbers.
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

    Removing a receiver locks it first, so the other order could deadlock.
    """
    if db.for_update:  # SQLite locks the whole database
        found = Receiver.select(Receiver.id).where(condition).order_by(Receiver.id)
        list(lock_rows(found, "FOR NO KEY UPDATE"))
