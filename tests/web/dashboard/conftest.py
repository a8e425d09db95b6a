"""Signed-in owners, and a counter of database statements."""

import pytest
from owner_browser import OwnerBrowser

from embed.db.connection import db


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
