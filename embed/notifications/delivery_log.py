"""The log of deliveries: listing, sending again, and deleting old entries."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from peewee import JOIN, Expression, fn

from embed.db.batches import delete_in_batches
from embed.db.connection import db
from embed.db.models import Delivery, Message, Page, Person, Receiver
from embed.db.pagination import Cursor, Slice, in_order, make_slice
from embed.errors import NotFound
from embed.events.messages import TEST, lock_receivers

SLICE_SIZE = 50
KEPT = timedelta(days=30)  # messages that were delivered or given up


def read_log(
    receiver: Receiver, *, state: str | None = None, after: Cursor | None = None
) -> Slice[Delivery]:
    """Return a slice of deliveries to a receiver with their messages, newest first."""
    conditions: list[Any] = [Delivery.receiver == receiver]
    if state is not None:
        conditions.append(Delivery.state == state)
    query = Delivery.select(Delivery, Message).join(Message).where(*conditions)
    query = in_order(query, (Message.number, Delivery.receiver), after)
    rows: list[Delivery] = list(query.limit(SLICE_SIZE + 1))
    return make_slice(rows, SLICE_SIZE, lambda one: Cursor(one.message.number, one.receiver_id))


def get_delivery_to(receiver: Receiver, message_id: str) -> Delivery:
    """Raises NotFound."""
    query = Delivery.select(Delivery, Message).join(Message)
    found = query.where(Delivery.receiver == receiver, Message.id == message_id).get_or_none()
    if found is None:
        raise NotFound(f"There is no message {message_id} for this channel or webhook.")
    return found


def find_last_attempted(page: Page) -> dict[str, Delivery]:
    """Return the last attempted delivery by receiver."""
    newest = (
        Delivery.select(Delivery.id)
        .where(Delivery.receiver == Receiver.id, Delivery.attempted_at.is_null(False))
        .order_by(Delivery.attempted_at.desc(), Delivery.id.desc())
        .limit(1)
    )
    of_page = Receiver.select(newest).where(Receiver.page == page)
    query = Delivery.select(Delivery, Message).join(Message).where(Delivery.id.in_(of_page))
    return {each.receiver_id: each for each in query}


def count_undelivered(page: Page) -> dict[str, dict[str, int]]:
    """Count pending and given-up messages, the latter except tests, by receiver and state."""
    rows: Any = (
        Delivery.select(Delivery.receiver, Delivery.state, fn.COUNT(Delivery.id))
        .join(Message)
        .switch(Delivery)
        .join(Receiver)
        .where(
            Receiver.page == page,
            Receiver.person.is_null(),
            (Delivery.state == "waiting")
            | ((Delivery.state == "given_up") & (Message.type != TEST)),
        )
        .group_by(Delivery.receiver, Delivery.state)
        .order_by(Delivery.state)
    )
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for receiver_id, state, count in rows.tuples():
        counts[receiver_id][state] = count
    return counts


class Failing(NamedTuple):
    """The receivers of a page whose last attempts failed."""

    since: datetime
    waiting: int  # pending messages for them


def list_failing(owner: Person) -> dict[str, Failing]:
    """Return the failing receivers by page; pages without any are absent."""
    is_waiting = (Delivery.receiver == Receiver.id) & (Delivery.state == "waiting")
    rows: Any = (
        Receiver.select(Receiver.page, fn.MIN(Receiver.first_failed_at), fn.COUNT(Delivery.id))
        .join(Page)
        .join(Delivery, JOIN.LEFT_OUTER, on=is_waiting)
        .where(
            Page.owner == owner,
            Receiver.first_failed_at.is_null(False),
            Receiver.person.is_null(),
        )
        .group_by(Receiver.page)
    )
    return {page_id: Failing(since, waiting) for page_id, since, waiting in rows.tuples()}


def count_given_up(of_pages: Any) -> dict[str, int]:
    """Count given-up messages by page, except tests; pages without any are absent."""
    rows: Any = (
        Delivery.select(Receiver.page, fn.COUNT(Delivery.id))
        .join(Message)
        .switch(Delivery)
        .join(Receiver)
        .join(Page)
        .where(
            of_pages,
            Delivery.state == "given_up",
            Message.type != TEST,
            Receiver.person.is_null(),
        )
        .group_by(Receiver.page)
    )
    return dict(rows.tuples())


def send_again(delivery: Delivery) -> None:
    """Send a message again, with the same id, before newer ones.

    If the receiver's last attempt failed, it's tried immediately.
    """
    receiver = Receiver.id == delivery.receiver_id
    with db.atomic():
        lock_receivers(receiver)
        Delivery.update(state="waiting").where(Delivery.id == delivery.id).execute()
        end_waits(receiver)


def send_all_again(page_id: str, but: Collection[str] = ()) -> int:
    """Send all of a page's given-up messages again, except tests; return how many.

    Receivers whose last attempt failed are tried immediately. Mails that people asked for
    themselves aren't sent again, nor what's for the receivers `but`.
    """
    messages = Message.select(Message.number).where(Message.page == page_id, Message.type != TEST)
    of_page = Receiver.page == page_id
    is_reached = of_page & Receiver.id.not_in(list(but)) & Receiver.person.is_null()
    receivers = Receiver.select(Receiver.id).where(is_reached)
    with db.atomic():
        lock_receivers(of_page)
        count: int = (
            Delivery.update(state="waiting")
            .where(
                Delivery.receiver.in_(receivers),
                Delivery.state == "given_up",
                Delivery.message.in_(messages),
            )
            .execute()
        )
        end_waits(Receiver.id.in_(receivers))
    return count


def end_waits(condition: Expression) -> None:
    """End receivers' waits after failures, but not the pause between two texts to a channel."""
    Receiver.update(next_attempt_at=None).where(condition, Receiver.failed_attempts > 0).execute()


def prune(now: datetime) -> int:
    """Delete messages older than KEPT that aren't pending anywhere, with their deliveries.

    Return the number of messages.
    """
    waiting = Delivery.select(Delivery.id).where(
        Delivery.message == Message.number, Delivery.state == "waiting"
    )
    is_old = (Message.created_at < now - KEPT) & ~fn.EXISTS(waiting)
    return delete_in_batches(Message.number, is_old)
