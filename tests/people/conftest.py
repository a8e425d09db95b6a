"""The owner of a page and someone else, and what happens while something else is under way."""

import pytest

from embed import pages
from embed.db.models import Person
from embed.people import accounts


@pytest.fixture
def owner(world) -> Person:
    owner = accounts.create_person("owner@example.com", world.clock())
    pages.update_page(world.page_id, {"owner": owner}, world.change())
    return owner


@pytest.fixture
def ann(world) -> Person:
    return accounts.create_person("ann@example.com", world.clock())
