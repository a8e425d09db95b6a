"""Attacks by way of channels and webhooks: other owners, forged forms, addresses, markup."""

import re

import pytest
from receiving import add_channel, add_webhook, path_of, tell

from embed.db.models import Delivery, Receiver

pytestmark = pytest.mark.slow

MARKUP = "\"'><script>alert(1)</script>"


@pytest.fixture
def others(world, stranger):
    """The stranger's page with a webhook and a message."""
    page_id = stranger.make_page()
    webhook = add_webhook(world, page_id=page_id)
    message = tell(world, page=webhook.page)
    Delivery.update(state="given_up").execute()
    return webhook, message


def test_another_owners_receivers_and_deliveries_are_not_found(world, owner, others):
    webhook, message = others
    mine = add_webhook(world)
    before = world.dump()
    tried = [
        path_of(world, mine.id, "messages", message.id, "again"),
        path_of(world, mine.id, "messages", "x", "again"),
        path_of(world, mine.id, "messages", "%00", "again"),
    ]

    assert {path: owner.post(path).status_code for path in tried} == dict.fromkeys(tried, 404)
    for receiver_id in (webhook.id, "%00"):
        assert owner.get(path_of(world, receiver_id, "deliveries")).status_code == 404
    assert message.id not in owner.get(path_of(world, mine.id, "deliveries")).text
    assert world.dump() == before


# One of each kind: test_webhooks.py and test_channels.py in tests/notifications have all.
@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1/",
        MARKUP,
        "   ",
    ],
)
def test_hostile_webhook_is_refused_beside_the_field(world, owner, target):
    answer = owner.post(
        path_of(world), service="webhook", target=target, event_types=["queue.filling"]
    )

    assert answer.status_code == 422
    assert re.search(r'id="target-wrong">[^<]+\.|id="target-wrong">[^<]+\?', answer.text)
    assert "<script>alert" not in answer.text
    assert Receiver.select().count() == 0


@pytest.mark.parametrize(
    ("service", "field"),
    [
        ("email", "address"),
        ("telegram", "chat_id"),
        ("slack", "webhook_url"),
        *(("ntfy", each) for each in ("server", "topic", "access_token", "service")),
    ],
)
@pytest.mark.parametrize("value", ["\0", MARKUP, "http://127.0.0.1/x"])
def test_hostile_channel_is_refused(world, owner, service, field, value):
    fields = {"service": service, "topic": "topic", "event_types": ["queue.filling"], field: value}

    answer = owner.post(path_of(world), **fields)

    assert answer.status_code == 422
    assert "<script>alert" not in answer.text
    assert owner.get(path_of(world)).status_code == 200


@pytest.mark.parametrize("types", [[], ["test"], ["queue.filling", MARKUP]])
def test_only_types_that_exist_are_taken(world, owner, types):
    fields = {"topic": "topic", "target": "https://a.example"}
    for service in ("ntfy", "webhook"):
        answer = owner.post(path_of(world), service=service, **fields, event_types=types)
        assert answer.status_code == 422
        assert 'id="event_types-wrong"' in answer.text
        assert "<script>alert" not in answer.text
    assert Receiver.select().count() == 0


def test_markup_is_shown_as_text_everywhere(world, owner):
    webhook = add_webhook(world)
    channel = add_channel(world)
    # As if another version had stored them.
    Receiver.update(target=f"https://hooks.example{MARKUP}/x").where(
        Receiver.id == webhook.id
    ).execute()
    Receiver.update(target=f"nonsense{MARKUP}://x").where(Receiver.id == channel.id).execute()
    tell(world, "submission.created", nickname=MARKUP, status="pending")
    Delivery.update(
        state="given_up", attempts=1, attempted_at=world.clock(), answer=MARKUP
    ).execute()

    for path in (
        path_of(world),
        path_of(world, webhook.id, "deliveries"),
        path_of(world, channel.id, "deliveries"),
        path_of(world, webhook.id, "secret"),
        path_of(world, webhook.id, "remove"),
        path_of(world, channel.id, "remove"),
    ):
        answer = owner.get(path)
        assert answer.status_code == 200, path
        assert "<script>alert" not in answer.text, path
        assert "\"'>" not in answer.text, path
    removed = owner.post(path_of(world, webhook.id, "remove"))
    assert "<script>alert" not in owner.get(removed.headers["Location"]).text
