"""Signed-in owners."""

import pytest
from owner_browser import OwnerBrowser


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
