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


def test_markup_is_shown_as_text_everywhere(world, owner):
    webhook = add_webhook(world)
    channel = add_channel(world)
    # As if another version had stored them.
    for receiver, target in ((webhook, "https://hooks.example"), (channel, "nonsense")):
        Receiver.update(target=f"{target}{MARKUP}://x").where(Receiver.id == receiver.id).execute()
    tell(world, "submission.created", nickname=MARKUP, status="pending")
    Delivery.update(
        state="given_up", attempts=1, attempted_at=world.clock(), answer=MARKUP
    ).execute()

    for receiver in (webhook, channel):
        for path in ([], [receiver.id, "deliveries"], [receiver.id, "remove"]):
            shown = owner.get(path_of(world, *path)).text
            assert not re.search(r"<script>alert|\"'>", shown), path
    assert "<script>alert" not in owner.get(path_of(world, webhook.id, "secret")).text
    removed = owner.post(path_of(world, webhook.id, "remove"))
    assert "<script>alert" not in owner.get(removed.location).text
