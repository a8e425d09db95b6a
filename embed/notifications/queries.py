"""Lists of deliveries for the dashboard."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from peewee import fn

from embed.db.models import Delivery, Message, Owner, Page, Receiver
from embed.domain.identifiers import ID_LENGTH
from embed.errors import NotFound
from embed.events.outbox import TEST

STATES = ("waiting", "delivered", "given_up")
SLICE_SIZE = 50

_CURSOR = re.compile(rf"([0-9]{{1,15}})-([0-9A-Za-z]{{{ID_LENGTH}}})")


@dataclass(frozen=True, slots=True)
class LogCursor:
    """A delivery's position in the log; the next slice begins after it."""

    number: int  # of the message
    receiver_id: str

    @classmethod
    def parse(cls, raw: str | None) -> "LogCursor | None":
        """Return None if `raw` is no cursor, so that the log begins at its start."""
        found = _CURSOR.fullmatch(raw or "")
        return None if found is None else cls(int(found[1]), found[2])

    def __str__(self) -> str:
        return f"{self.number}-{self.receiver_id}"


@dataclass(frozen=True, slots=True)
class LogSlice:
    rows: list[Delivery]
    next_cursor: LogCursor | None  # None: this is the last slice


def read_log(
    page: Page,
    *,
    receiver: Receiver | None = None,
    state: str | None = None,
    after: LogCursor | None = None,
    size: int = SLICE_SIZE,
) -> LogSlice:
    """Return a slice of a page's deliveries with their messages, newest first."""
    conditions: list[Any] = [Message.page == page]
    if receiver is not None:
        conditions.append(Delivery.receiver == receiver)
    if state is not None:
        conditions.append(Delivery.state == state)
    if after is not None:
        # The first condition is redundant, but it alone can use the index.
        conditions.append(Message.number <= after.number)
        conditions.append((Message.number < after.number) | (Delivery.receiver < after.receiver_id))
    query = Delivery.select(Delivery, Message).join(Message).where(*conditions)
    rows = list(query.order_by(Message.number.desc(), Delivery.receiver.desc()).limit(size + 1))
    return _make_slice(rows, size)


def _make_slice(rows: list[Delivery], size: int) -> LogSlice:
    if len(rows) <= size:
        return LogSlice(rows, None)
    last = rows[size - 1]
    return LogSlice(rows[:size], LogCursor(last.message.number, last.receiver_id))


def get_delivery_to(receiver: Receiver, message_id: str) -> Delivery:
    """Raises NotFound."""
    query = Delivery.select(Delivery, Message).join(Message)
    found = query.where(Delivery.receiver == receiver, Message.id == message_id).get_or_none()
    if found is None:
        raise NotFound(f"There is no message {message_id} for this receiver.")
    return found


def find_last_attempted(page: Page) -> dict[str, Delivery]:
    """Return, by receiver, what was last tried to be delivered to it."""
    newest = (
        Delivery.select(Delivery.id)
        .where(Delivery.receiver == Receiver.id, Delivery.attempted_at.is_null(False))
        .order_by(Delivery.attempted_at.desc(), Delivery.id.desc())
        .limit(1)
    )
    of_page = Receiver.select(newest).where(Receiver.page == page)
    query = Delivery.select(Delivery, Message).join(Message).where(Delivery.id.in_(of_page))
    return {each.receiver_id: each for each in query}


def count_waiting(page: Page) -> dict[str, int]:
    """Count what waits by receiver; receivers for which nothing waits are absent."""
    rows = (
        Delivery.select(Delivery.receiver, fn.COUNT(Delivery.id))
        .join(Receiver)
        .where(Receiver.page == page, Delivery.state == "waiting")
        .group_by(Delivery.receiver)
    )
    return _read_counts(rows)


def has_waiting_test(receiver: Receiver) -> bool:
    query = Delivery.select(Delivery.id).join(Message)
    found: bool = query.where(
        Delivery.receiver == receiver, Delivery.state == "waiting", Message.type == TEST
    ).exists()
    return found


def count_given_up(owner: Owner) -> dict[str, int]:
    """Count what was given up, apart from tests, by page; pages without any are absent."""
    return _count_given_up(Page.owner == owner)


def count_given_up_of_page(page: Page) -> int:
    return _count_given_up(Page.id == page.id).get(page.id, 0)


def _count_given_up(condition: Any) -> dict[str, int]:
    rows = (
        Delivery.select(Receiver.page, fn.COUNT(Delivery.id))
        .join(Message)
        .switch(Delivery)
        .join(Receiver)
        .join(Page)
        .where(condition, Delivery.state == "given_up", Message.type != TEST)
        .group_by(Receiver.page)
    )
    return _read_counts(rows)


def _read_counts(rows: Any) -> dict[str, int]:
    return dict(rows.tuples())


def list_given_up(page: Page, *, limit: int) -> Sequence[Delivery]:
    """Return the newest that were given up, apart from tests."""
    query = Delivery.select(Delivery, Message).join(Message).switch(Delivery).join(Receiver)
    found = query.where(Receiver.page == page, Delivery.state == "given_up", Message.type != TEST)
    return list(found.order_by(Delivery.message.desc(), Delivery.receiver.desc()).limit(limit))
