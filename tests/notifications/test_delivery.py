"""deliver(): at least once, in order, tried again, given up visibly; one receiver by itself."""

from datetime import timedelta

import pytest
from support.receivers import run_http_receiver

from embed.db.connection import db
from embed.db.models import Delivery, Message, Receiver
from embed.notifications import delivery, delivery_log, receivers
from embed.notifications.delivery import (
    LONGEST_WAIT,
    compute_wait,
    deliver,
    find_due_receivers,
)

pytestmark = pytest.mark.databases("sqlite", "postgres")


def test_only_receivers_with_something_to_send_now_are_due(owner, http_receiver):
    now = owner.world.clock()
    waiting = owner.add_webhook(http_receiver.url)
    owner.add_webhook(http_receiver.url, "wallet.flagged")
    assert find_due_receivers(now) == []

    owner.tell()
    assert find_due_receivers(now) == [waiting.id]

    later = now + timedelta(minutes=1)
    Receiver.update(next_attempt_at=later).where(Receiver.id == waiting.id).execute()
    assert find_due_receivers(now) == []
    owner.deliver(waiting)
    assert http_receiver.received == []
    assert find_due_receivers(later) == [waiting.id]


def test_failed_message_holds_up_those_behind_it_and_keeps_its_id_and_body(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    first, second = owner.tell(), owner.tell()
    http_receiver.statuses = [500, 503]

    for _ in range(3):
        owner.deliver(webhook)
        owner.deliver(webhook)  # too early
        owner.world.clock.forward(hours=3)

    assert http_receiver.ids == [first, first, first, second]
    assert len({each.body for each in http_receiver.received[:3]}) == 1
    assert len({each.headers["webhook-timestamp"] for each in http_receiver.received[:3]}) == 3
    assert owner.list_states(webhook) == [
        ("delivered", 3, "204 No Content"),
        ("delivered", 1, "204 No Content"),
    ]
    assert owner.read(webhook).failed_attempts == 0


def test_waits_grow_from_seconds_to_hours_and_are_jittered():
    waits = [compute_wait(failed_attempts) for failed_attempts in range(1, 40)]

    assert compute_wait(0) == timedelta()
    assert timedelta(seconds=3) < waits[0] <= timedelta(seconds=5)
    assert all(wait <= LONGEST_WAIT for wait in waits)
    assert waits[10] > timedelta(hours=1)
    assert compute_wait(10**9) <= LONGEST_WAIT
    assert compute_wait(1, timedelta(days=9)) == LONGEST_WAIT
    assert len({compute_wait(30) for _ in range(20)}) > 1


@pytest.mark.parametrize(
    ("asked", "longest"),
    [("600", timedelta(minutes=10)), ("tomorrow", timedelta(seconds=5))],
)
def test_receiver_may_ask_for_a_longer_wait_in_seconds(owner, http_receiver, asked, longest):
    webhook = owner.add_webhook(http_receiver.url)
    owner.tell()
    http_receiver.statuses, http_receiver.headers = [429], {"Retry-After": asked}

    owner.deliver(webhook)

    wait = owner.read(webhook).next_attempt_at - owner.world.clock()
    assert longest * 0.7 < wait <= longest
    assert owner.list_states(webhook) == [("waiting", 1, "429 Too Many Requests")]


def test_message_is_given_up_after_a_day_and_the_next_has_its_turn(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    first, second = owner.tell(), owner.tell()
    attempts = 0
    http_receiver.statuses = [500] * 100
    while owner.list_states(webhook)[0][0] == "waiting":
        owner.deliver(webhook)
        attempts += 1
        owner.world.clock.now = owner.read(webhook).next_attempt_at

    assert 15 < attempts < 40
    assert set(http_receiver.ids) == {first}
    # The second is older than a day, too: it gets one attempt, soon.
    given_up = Delivery.get(Delivery.state == "given_up")
    assert owner.world.clock() - given_up.attempted_at <= timedelta(seconds=5)
    owner.deliver(webhook)
    assert http_receiver.ids[-1] == second
    assert owner.list_states(webhook)[1] == ("given_up", 1, "500 Internal Server Error")


def test_process_that_ends_before_the_answer_is_marked_repeats_one_message(
    owner, http_receiver, monkeypatch
):
    webhook = owner.add_webhook(http_receiver.url)
    ids = [owner.tell() for _ in range(3)]
    mark_sent, marked = delivery._mark_sent, []

    def die_at_the_second(*arguments, **options) -> None:
        if marked:
            raise KeyboardInterrupt
        marked.append(mark_sent(*arguments, **options))

    monkeypatch.setattr(delivery, "_mark_sent", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        owner.deliver(webhook)
    monkeypatch.undo()
    owner.deliver(webhook)
    assert http_receiver.ids == ids[:2]  # it still has its claim

    owner.world.clock.now += delivery.CLAIM
    owner.deliver(webhook)
    assert http_receiver.ids == [ids[0], ids[1], ids[1], ids[2]]


def test_no_transaction_is_open_while_something_is_sent(owner, http_receiver, monkeypatch):
    webhook = owner.add_webhook(http_receiver.url)
    owner.tell()
    seen, send = [], delivery.send
    monkeypatch.setattr(
        delivery, "send", lambda *how: (seen.append(db.in_transaction()), send(*how))[1]
    )

    owner.deliver(webhook)

    assert seen == [False]


def test_receiver_has_one_claim_at_a_time_and_is_served_in_turn(owner, http_receiver):
    with run_http_receiver() as other:
        webhook, second = owner.add_webhook(http_receiver.url), owner.add_webhook(other.url)
        ids = [owner.tell() for _ in range(3)]
        due = []

        def look() -> None:
            due.append(find_due_receivers(owner.world.clock()))
            owner.deliver(webhook)
            owner.deliver(second)
            db.close()  # this thread's

        http_receiver.before_answer = look
        owner.deliver(webhook)

        assert due[0] == [second.id]
        assert http_receiver.ids == other.ids == ids
        http_receiver.before_answer = lambda: None
        owner.world.clock.forward(seconds=1)
        owner.tell()
        owner.deliver(second)
        owner.tell()
        assert find_due_receivers(owner.world.clock()) == [webhook.id, second.id]


def test_call_ends_when_its_time_is_up_or_the_process_stops(owner, http_receiver, monkeypatch):
    webhook = owner.add_webhook(http_receiver.url)
    for _ in range(4):
        owner.tell()

    deliver(webhook.id, owner.runtime, lambda: True)
    assert len(http_receiver.received) == 1
    monkeypatch.setattr(delivery, "MAX_TIME_S", 0)
    owner.deliver(webhook)
    assert len(http_receiver.received) == 2


def test_messages_arrive_in_their_order_by_one_connection(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    ids = [owner.tell() for _ in range(3)]
    owner.deliver(webhook)
    assert (http_receiver.ids, http_receiver.connections) == (ids, 1)
    assert owner.list_states(webhook) == [("delivered", 1, "204 No Content")] * 3


def test_receiver_that_is_removed_while_it_answers_gets_nothing_more(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    for _ in range(2):
        owner.tell()

    def remove() -> None:
        receivers.remove_receiver(webhook.id, "webhook", owner.world.change())
        db.close()  # this thread's

    http_receiver.before_answer = remove
    owner.deliver(webhook)

    assert len(http_receiver.received) == 1
    assert Delivery.select().count() == 0
    assert find_due_receivers(owner.world.clock()) == []


# What cannot be sent


def test_error_while_a_message_is_made_counts_as_a_failed_attempt(owner, http_receiver, caplog):
    receiver = owner.add_webhook(http_receiver.url)
    Receiver.update(signing_key="whsk_nonsense").execute()
    owner.tell()

    owner.deliver(receiver)

    ((state, attempts, answer),) = owner.list_states(receiver)
    assert (state, attempts) == ("waiting", 1)
    assert "an error of this service" in answer
    assert owner.read(receiver).next_attempt_at > owner.world.clock()
    assert receiver.id in caplog.text
    assert "Traceback" in caplog.text


# The delivery log


@pytest.mark.parametrize(
    ("first_status", "outcome"),
    [(204, ("delivered", "204 No Content")), (410, ("given_up", "410 Gone"))],
)
def test_message_is_sent_again_with_the_same_id(owner, http_receiver, first_status, outcome):
    webhook = owner.add_webhook(http_receiver.url)
    message_id = owner.tell()
    http_receiver.statuses = [first_status]
    owner.deliver(webhook)
    (sent,) = delivery_log.read_log(webhook).rows
    assert (sent.state, sent.answer) == outcome

    delivery_log.send_again(sent)
    assert find_due_receivers(owner.world.clock()) == [webhook.id]
    owner.deliver(webhook)

    assert http_receiver.ids == [message_id] * 2
    assert owner.list_states(webhook) == [("delivered", 2, "204 No Content")]


def test_test_that_is_sent_at_once_is_in_the_log_and_ends_the_wait(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    owner.tell()
    http_receiver.statuses = [500]
    owner.deliver(webhook)
    assert find_due_receivers(owner.world.clock()) == []

    sent = delivery.send_test(webhook, owner.runtime)

    assert (sent.state, sent.answer) == ("delivered", "204 No Content")
    assert http_receiver.received[-1].id == sent.message.id
    assert b'"type":"test"' in http_receiver.received[-1].body
    assert delivery_log.read_log(webhook).rows[0].message.id == sent.message.id
    assert find_due_receivers(owner.world.clock()) == [webhook.id]


def test_old_messages_are_deleted_when_no_receiver_waits_for_them(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    owner.tell()
    owner.deliver(webhook)
    owner.add_webhook("http://127.0.0.1:9/")
    owner.tell()
    owner.deliver(webhook)

    owner.world.clock.forward(days=30)
    assert delivery_log.prune(owner.world.clock()) == 0
    owner.world.clock.forward(seconds=1)
    assert delivery_log.prune(owner.world.clock()) == 1

    assert Message.select().count() == 1
    assert Delivery.select().count() == 2
