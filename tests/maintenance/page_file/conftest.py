"""Fixtures: a filled page, and another installation."""

import pytest
from filled_page import FilledPage

DATABASES = ["sqlite", "postgres"]


@pytest.fixture
def filled(world) -> FilledPage:
    return FilledPage(world)


@pytest.fixture(params=DATABASES)
def other_url(request) -> str:
    """The database of another installation; asked for before `filled`, which opens its own."""
    if request.param == "sqlite":
        return request.getfixturevalue("make_sqlite")()
    return request.getfixturevalue("postgres_database_url")
