"""Signed-in owners."""

from collections.abc import Callable, Iterator

import pytest
from support.owner_browser import OwnerBrowser
from support.passkey_device import store_passkey
from support.receivers import HttpReceiver, queue_test, run_http_receiver
from support.world import Visitor

from embed.db.models import Member, Session
from embed.keys import access
from embed.notifications import receivers
from embed.submissions.deny_list import block_on_page


@pytest.fixture
def owner(world) -> OwnerBrowser:
    """The owner of the world's page, signed in."""
    browser = OwnerBrowser(world)
    browser.take(world.page_id)
    return browser


@pytest.fixture
def stranger(world) -> OwnerBrowser:
    """Another owner, with pages of their own."""
    return OwnerBrowser(world, "other@example.com")


@pytest.fixture
def page(world) -> str:
    """The address of the world's page."""
    return f"/dashboard/pages/{world.page_id}"


@pytest.fixture
def http_receiver() -> Iterator[HttpReceiver]:
    with run_http_receiver() as receiver:
        yield receiver


@pytest.fixture
def make_member(world, owner) -> Callable[..., OwnerBrowser]:
    """Sign someone in who has a role on the owner's page: ``make_member("viewer")``."""

    def make(role: str, email: str = "") -> OwnerBrowser:
        browser = OwnerBrowser(world, email or f"{role}@example.com")
        now = world.clock()
        Member.create(page=world.page_id, person=browser.owner, role=role, created_at=now)
        return browser

    return make


@pytest.fixture
def things(world, owner) -> dict[str, str]:
    """One of each object that a route may name, all of them the owner's."""
    tag = world.add_tag("team")
    wallet = world.track(Visitor().address, alias="Whale", tag_names=["team"], balance=5)
    submission = world.submit(Visitor()).json["submissionId"]
    webhook = receivers.add_webhook(world.page_id, "https://hooks.example/x", world.change())
    channel = receivers.add_channel(world.page_id, "ntfy", {"topic": "topic"}, world.change())
    message = queue_test(webhook, world.clock())
    passkey = store_passkey(owner.owner, world.clock())
    key = access.find_access(world.public_key).key_id
    return {
        "page_id": world.page_id,
        "tag_id": tag.id,
        "wallet_id": wallet.id,
        "key_id": key,
        "submission_id": submission,
        "block_id": block_on_page(world.page_id, "name", "bot*", world.change()).id,
        "receiver_id": webhook.id,
        "channel_id": channel.id,
        "message_id": message.id,
        "session_id": Session.get(person=owner.owner).id,
        "passkey_id": passkey.id,
        "tier": "public",
        "token": "x",
        "place": "tags",
        "rest": "x",
    }
