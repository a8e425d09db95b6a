"""Signed-in owners, and a counter of database statements."""

import pytest
from owner_browser import OwnerBrowser
from world import Visitor

from embed.db.connection import db
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


@pytest.fixture
def count_statements(world, monkeypatch):
    """Count the database statements of a call: ``count_statements(act)``."""
    seen: list[str] = []
    execute = db.obj.execute_sql

    def count_and_execute(sql, *arguments, **more):
        seen.append(sql)
        return execute(sql, *arguments, **more)

    monkeypatch.setattr(db.obj, "execute_sql", count_and_execute)

    def count(act) -> int:
        seen.clear()
        act()
        return len(seen)

    return count
