"""Signed-in owners."""

import pytest
from owner_browser import OwnerBrowser
from world import Visitor

from embed.keys import access


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
def things(world, owner) -> dict[str, str]:
    """One of each object that a route may name, all of them the owner's."""
    tag = world.add_tag("team")
    wallet = world.track(Visitor().address)
    submission = world.submit(Visitor()).json["submissionId"]
    key = access.find_access(world.public_key).key_id
    return {
        "page_id": world.page_id,
        "tag_id": tag.id,
        "wallet_id": wallet.id,
        "key_id": key,
        "submission_id": submission,
        "tier": "public",
        "token": "x",
    }
