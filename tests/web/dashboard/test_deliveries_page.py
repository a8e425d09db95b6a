"""The deliveries to a receiver: what became of its messages, and sending them again."""

import html
import re

import pytest
from receiving import add_channel, add_deliveries, add_webhook, deliver, give_up, path_of, tell
from support.owner_browser import OwnerBrowser
from support.receivers import queue_test

from embed.db.models import Delivery, Message, Receiver

pytestmark = pytest.mark.slow

MARKUP = "\"'><script>alert(1)</script>"


@pytest.fixture
def environ(environ) -> dict[str, str]:
    return environ | {"ALLOW_PRIVATE_TARGETS": "1"}  # receivers on this machine


def log_of(world, receiver: Receiver) -> str:
    return path_of(world, receiver.id, "deliveries")


def again(world, receiver: Receiver, message: Message) -> str:
    return path_of(world, receiver.id, "messages", message.id, "again")


def read_states(answer) -> list[tuple[str, str]]:
    """Return the state of each delivery with the class of its color."""
    return re.findall(r'<span class="pill (\w+)">(\w+)</span>', answer.text)


def test_log_says_what_when_where_how_often_and_what_was_answered(world, owner, http_receiver):
    webhook = add_webhook(world, http_receiver.url)
    log = log_of(world, webhook)
    http_receiver.statuses = [503]
    tell(world)
    deliver(world, webhook)

    text = owner.see(log)
    assert f"Deliveries http://127.0.0.1:{http_receiver.port}/… Reload" in text
    assert (
        "Queue almost full waiting Jan 31, 2026, 9:30 AM UTC"
        " 1 attempt, the last Jan 31, 2026, 9:30 AM UTC : 503 Service Unavailable"
    ) in text
    world.clock.forward(minutes=1)
    deliver(world, webhook)
    text = owner.see(log)
    assert "Queue almost full delivered Jan 31, 2026, 9:30 AM UTC Send again" in text
    assert "2 attempts, the last Jan 31, 2026, 9:31 AM UTC : 204 No Content" in text
    assert "/hook" not in owner.get(log).text


def test_data_of_a_message_is_behind_details_with_every_digit(world, owner):
    log = log_of(world, add_webhook(world))
    tell(world, "wallet.flagged", tokenBalance=12345678901234567890, address=MARKUP)
    text = owner.get(log).text

    (details,) = re.findall(r"<details>.*?</details>", text, re.DOTALL)
    assert "&#34;tokenBalance&#34;: 12345678901234567890" in details
    assert "&lt;script&gt;alert(1)" in details
    assert "<script>alert" not in text


def test_log_is_of_one_receiver_and_narrowed_to_a_state(world, owner):
    webhook, channel = add_webhook(world), add_channel(world)
    log = log_of(world, webhook)
    assert "Nothing of this kind was sent in the last 30 days." in owner.see(log)
    tell(world)
    give_up(world, webhook)

    failed, waiting = ("bad", "failed"), ("warn", "waiting")
    for path, states in {
        log: [failed],
        f"{log}?state=given_up": [failed],
        f"{log}?state=waiting": [],
        f"{log}?state=%00": [failed],
        f"{log}?after=9999999999999999-x": [failed],
        log_of(world, channel): [waiting],
    }.items():
        assert read_states(owner.get(path)) == states, path


def test_delivered_message_is_sent_again_with_the_same_id_before_newer_ones(
    world, owner, http_receiver
):
    webhook = add_webhook(world, http_receiver.url)
    message = tell(world)
    assert "already waiting to be sent" in owner.see(
        owner.post(again(world, webhook, message)).location
    )
    deliver(world, webhook)
    newer = tell(world)

    answer = owner.post(again(world, webhook, message))

    assert answer.status_code == 303
    assert len(http_receiver.received) == 1  # the request does not wait for the receiver
    assert "The message is being sent again." in owner.see(answer.location)
    deliver(world, webhook)
    assert http_receiver.ids == [message.id, message.id, newer.id]
    assert http_receiver.received[0].body == http_receiver.received[1].body
    assert read_states(owner.get(log_of(world, webhook))) == [("good", "delivered")] * 2


def test_all_that_was_given_up_is_sent_again_by_one_button_but_no_tests(
    world, owner, http_receiver
):
    add_deliveries(world, add_webhook(world, page_id=owner.make_page()), 2, "given_up")
    webhook = add_webhook(world, http_receiver.url)
    queue_test(webhook, world.clock())
    messages = [tell(world) for _ in range(3)]
    give_up(world, webhook)
    Receiver.update(failed_attempts=9, next_attempt_at=world.clock.now.replace(year=2027)).execute()
    assert "Send all again" in owner.see(path_of(world))

    answer = owner.post(path_of(world, "again"))

    assert "3 messages are being sent again." in owner.see(answer.location)
    deliver(world, webhook)
    assert http_receiver.ids == [message.id for message in messages]
    assert Delivery.select().where(Delivery.state == "given_up").count() == 3  # the test, and 2


@pytest.mark.parametrize(
    ("kind", "target", "why"),
    [
        ("channel", "pover://x", "No longer supported: use a webhook."),
        ("channel", '{"type":"email","address":"a@example.com"}', "can't send email yet"),
        ("webhook", "http://localhost/hook", "own network"),
    ],
)
def test_nothing_is_sent_again_where_it_cannot_arrive(world_with, kind, target, why):
    world = world_with(ALLOW_PRIVATE_TARGETS="0")
    owner = OwnerBrowser(world)
    owner.take(world.page_id)
    blocked = add_webhook(world)
    secret = blocked.secret if kind == "webhook" else None
    Receiver.update(kind=kind, target=target, secret=secret).execute()
    message = tell(world)
    give_up(world, blocked)

    assert "/again" not in owner.get(log_of(world, blocked)).text
    text = owner.get(path_of(world)).text
    assert not re.search("Send it again|/test", text)
    assert why in html.unescape(text)
    refused = owner.post(again(world, blocked, message))
    assert (refused.status_code, why in html.unescape(refused.text)) == (409, True)
    owner.post(path_of(world, "again"))
    assert Delivery.get().state == "given_up"


# Others, and markup


def test_messages_of_others_and_of_nobody_are_not_found(world, owner, stranger):
    theirs = add_webhook(world, page_id=stranger.make_page())
    message = tell(world, page=theirs.page)
    give_up(world, theirs)
    mine = add_webhook(world)
    before = world.dump()

    for message_id in (message.id, "x", "%00"):
        path = path_of(world, mine.id, "messages", message_id, "again")
        assert owner.post(path).status_code == 404
    for receiver_id in (theirs.id, "%00"):
        assert owner.get(path_of(world, receiver_id, "deliveries")).status_code == 404
    assert message.id not in owner.get(log_of(world, mine)).text
    assert world.dump() == before


def test_markup_is_shown_as_text_everywhere(world, owner):
    webhook, channel = add_webhook(world), add_channel(world)
    # As if another version had stored them.
    for receiver, target in ((webhook, "https://hooks.example"), (channel, "nonsense")):
        Receiver.update(target=f"{target}{MARKUP}://x").where(Receiver.id == receiver.id).execute()
    tell(world, "submission.created", nickname=MARKUP, status="pending")
    give_up(world, webhook, answer=MARKUP)

    for receiver in (webhook, channel):
        for path in ([], [receiver.id, "deliveries"], [receiver.id, "remove"]):
            shown = owner.get(path_of(world, *path)).text
            assert not re.search(r"<script>alert|\"'>", shown), path
    assert "<script>alert" not in owner.get(path_of(world, webhook.id, "secret")).text
    removed = owner.post(path_of(world, webhook.id, "remove"))
    assert "<script>alert" not in owner.get(removed.location).text
