"""Delivers messages at least once and in order, to each receiver independently."""

import logging
import random
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

from peewee import ModelSelect, fn

from embed.db.connection import db
from embed.db.constraints import skip_if_reference_missing
from embed.db.models import Delivery, Message, Page, Person, Receiver
from embed.domain.identifiers import make_id
from embed.events.messages import TEST, lock_receivers
from embed.metrics import DELIVERIES
from embed.notifications import channels, own_mail, webhooks
from embed.notifications.decision_links import list_decidable
from embed.notifications.delivery_log import end_waits
from embed.notifications.digest import add_reason, write_digest, write_test
from embed.notifications.targets import Outcome, open_client
from embed.outbound import Client
from embed.runtime import Runtime
from embed.serializers import write_json

GIVE_UP_AFTER = timedelta(days=1)
FIRST_WAIT = timedelta(seconds=5)  # after the first failure; each wait is longer
LONGEST_WAIT = timedelta(hours=2)
_MAX_DOUBLINGS = 20  # far more than it takes to reach the longest wait
CHANNEL_INTERVAL = timedelta(minutes=1)  # between two texts to one channel
# Per call of deliver(); then it's other receivers' turn.
MAX_TIME_S = 1
# Longer than a call that sends a last message just before its time is up, and marks it.
CLAIM = timedelta(minutes=1)
_SERVED_LAST = Receiver.claimed_until.asc(nulls="first")
MAX_DIGESTED = 2_000  # messages summed up in one text to a channel

_log = logging.getLogger(__name__)


def find_due_receivers(now: datetime) -> list[str]:
    """Return the ids of the receivers with pending messages that can be sent now.

    The one served longest ago comes first, so each gets its turn.
    """
    waiting = Delivery.select(Delivery.id).where(
        Delivery.receiver == Receiver.id, Delivery.state == "waiting"
    )
    due: Any = Receiver.select(Receiver.id).where(
        is_due(now), _is_unclaimed(now), fn.EXISTS(waiting)
    )
    return [receiver_id for (receiver_id,) in due.order_by(_SERVED_LAST).tuples()]


def deliver(
    receiver_id: str, runtime: Runtime, is_stopping: Callable[[], bool] = lambda: False
) -> None:
    """Send a receiver's pending messages until none is left, an attempt fails or time is up.

    Only the process that claimed the receiver does this; others can when the claim has expired. A
    message is marked after the answer, so if a process is killed, at most one message is sent
    twice.
    """
    now = runtime.clock()
    until, ends_at = now + CLAIM, time.monotonic() + MAX_TIME_S
    receiver = Receiver.id == receiver_id
    if not Receiver.update(claimed_until=until).where(receiver, _is_unclaimed(now)).execute():
        return
    with closing(open_client(runtime.settings)) as client:
        while _deliver_next(receiver_id, until, runtime, client):
            if time.monotonic() >= ends_at or is_stopping():
                break
    Receiver.update(claimed_until=runtime.clock()).where(
        receiver, Receiver.claimed_until == until
    ).execute()


def _is_unclaimed(now: datetime) -> Any:
    return _is_over(Receiver.claimed_until, now, CLAIM)


def _is_over(until: Any, now: datetime, longest: timedelta) -> Any:
    """Return the condition that a wait is over; it also is if the clock was set back."""
    return until.is_null() | (until <= now) | (until > now + 2 * longest)


def _deliver_next(receiver_id: str, until: datetime, runtime: Runtime, client: Client) -> bool:
    """Send one message or text if the claim is still valid; return whether to send more."""
    receiver = (
        Receiver.select(Receiver, Page, Person)
        .join(Page)
        .join(Person)
        .where(
            Receiver.id == receiver_id,
            Receiver.claimed_until == until,
            is_due(runtime.clock()),
        )
        .get_or_none()
    )
    if receiver is None:
        return False
    batch = _read_batch(receiver)
    if not batch:
        return False
    try:
        outcome = send(receiver, [each.message for each in batch], runtime, client)
    except Exception:  # retried like any other failure, then given up
        _log.exception("Pending messages for the channel %s could not be sent.", receiver.id)
        outcome = Outcome(False, "an error of this service; see its log")
    _mark_sent(receiver, batch, outcome, runtime.clock())
    return True


def send(
    receiver: Receiver, messages: Sequence[Message], runtime: Runtime, client: Client
) -> Outcome:
    """Send one message to a webhook, or one text about several messages to a channel."""
    settings = runtime.settings
    if receiver.person_id is not None:
        return own_mail.send(receiver, messages, runtime)
    if receiver.kind == "webhook":
        return webhooks.send(receiver, messages[0], client, runtime.clock())
    if messages[0].type == TEST:
        digest = write_test(receiver.page)
    else:
        digest = write_digest(
            receiver.page,
            messages,
            public_url=settings.public_url,
            decisions=list_decidable(receiver, messages, runtime),
        )
    if channels.find_service(receiver.target) == "email":
        link = own_mail.build_link(receiver, runtime) if settings.public_url else None
        digest = add_reason(digest, receiver.page.owner, link, asked=False)
    return channels.send(receiver.target, digest, client, settings)


def is_due(now: datetime) -> Any:
    """Return the condition that a receiver's wait is over."""
    return _is_over(Receiver.next_attempt_at, now, LONGEST_WAIT)


def _read_batch(receiver: Receiver) -> list[Delivery]:
    """Return what to send next: a test, or the oldest message, or for a channel all messages."""
    waiting = _list_waiting(receiver)
    # By its number, to avoid reading all pending messages.
    tests = waiting.where(
        Delivery.message.in_(
            Message.select(Message.number).where(
                Message.page == receiver.page, Message.type == TEST
            )
        )
    )
    limit = 1 if receiver.kind == "webhook" else MAX_DIGESTED
    return list(tests.limit(1)) or list(waiting.limit(limit))


def _list_waiting(receiver: Receiver) -> "ModelSelect[Delivery]":
    return (
        Delivery.select(Delivery, Message)
        .join(Message)
        .where(Delivery.receiver == receiver, Delivery.state == "waiting")
        .order_by(Delivery.message)
    )


def _mark_sent(
    receiver: Receiver, batch: Sequence[Delivery], outcome: Outcome, now: datetime
) -> None:
    """Mark what was sent, and decide when the next attempt is due."""
    is_test = batch[0].message.type == TEST

    def is_last_try(each: Delivery) -> bool:
        is_tried_once = is_test or outcome.is_final
        return not outcome.is_delivered and (is_tried_once or is_overdue(each.message, now))

    given_up = [each for each in batch if is_last_try(each)]
    kept = [each for each in batch if not is_last_try(each)]
    with db.atomic():
        lock_receivers(Receiver.id == receiver.id)
        _mark(kept, "delivered" if outcome.is_delivered else "waiting", outcome, now)
        _mark(given_up, "given_up", outcome, now)
        if outcome.is_delivered or not is_test:  # a failed test doesn't delay the others
            _plan_next(receiver, outcome, now, has_given_up=bool(given_up))
    result = "delivered" if outcome.is_delivered else "failed"
    DELIVERIES.labels(receiver.kind, result).inc(len(kept))
    DELIVERIES.labels(receiver.kind, "given_up").inc(len(given_up))


def _plan_next(receiver: Receiver, outcome: Outcome, now: datetime, *, has_given_up: bool) -> None:
    failed_attempts = 0 if outcome.is_delivered else receiver.failed_attempts + 1
    head = next(iter(_list_waiting(receiver).limit(1)), None) if has_given_up else None
    is_next_overdue = head is not None and is_overdue(head.message, now)
    wait = FIRST_WAIT if is_next_overdue else compute_wait(failed_attempts, outcome.retry_after)
    if receiver.kind == "channel":
        wait = max(wait, CHANNEL_INTERVAL)
    Receiver.update(
        failed_attempts=failed_attempts,
        first_failed_at=(receiver.first_failed_at or now) if failed_attempts else None,
        next_attempt_at=now + wait if wait else None,
    ).where(Receiver.id == receiver.id).execute()


def _mark(deliveries: Sequence[Delivery], state: str, outcome: Outcome, now: datetime) -> None:
    # A message may be erased while it's being sent; SQLite then reuses its number, and its
    # delivery's, for the next one. Only the message's id shows that it's still the same.
    messages = Message.select(Message.number).where(
        Message.id.in_([each.message.id for each in deliveries])
    )
    # A process that was suspended may be late: another may have sent the message in the meantime.
    if deliveries:
        Delivery.update(
            state=state,
            attempts=Delivery.attempts + 1,
            attempted_at=now,
            answer=outcome.answer,
        ).where(
            Delivery.id.in_([each.id for each in deliveries]),
            Delivery.message.in_(messages),
            Delivery.state == "waiting",
        ).execute()


def compute_wait(failed_attempts: int, asked_for: timedelta | None = None) -> timedelta:
    """Return how long to wait after this many failures in a row: 0 after none, then ever longer.

    A receiver that asks for a longer wait gets it, up to LONGEST_WAIT.
    """
    if failed_attempts == 0:
        return timedelta()
    doubled: int = 2 ** min(failed_attempts - 1, _MAX_DOUBLINGS)
    wait = min(FIRST_WAIT * doubled, LONGEST_WAIT)
    jitter = random.uniform(0.75, 1)  # noqa: S311  # not a secret: receivers that failed together should not all come back at once
    return max(wait * jitter, min(asked_for or timedelta(), LONGEST_WAIT))


def is_overdue(message: Message, now: datetime) -> bool:
    """Return whether a message is so old that another failure means giving up."""
    created_at: datetime = message.created_at
    return now - created_at >= GIVE_UP_AFTER


def send_test(receiver: Receiver, runtime: Runtime) -> Delivery:
    """Send a test message in this thread and return its delivery."""
    message = Message(
        id=make_id(),
        page=receiver.page_id,
        type=TEST,
        data=write_json({"trackingPageId": receiver.page_id}, is_compact=True).decode(),
        created_at=runtime.clock(),
    )
    with closing(open_client(runtime.settings)) as client:
        outcome = send(receiver, [message], runtime, client)
    delivery = Delivery(
        message=message,
        receiver=receiver,
        state="delivered" if outcome.is_delivered else "given_up",
        attempts=1,
        attempted_at=runtime.clock(),
        answer=outcome.answer,
    )
    with skip_if_reference_missing(), db.atomic():  # the receiver may have been removed
        message.save(force_insert=True)
        delivery.message = message
        delivery.save(force_insert=True)
        if outcome.is_delivered:
            end_waits(Receiver.id == receiver.id)
    return delivery
