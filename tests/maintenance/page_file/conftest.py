"""Fixtures: a filled page, its file, and another installation."""

import pytest
from filled_page import FilledPage
from page_files import export
from support.world import SECRET_KEY, Clock, World

from embed.db.connection import db
from embed.factory import create_app
from embed.settings import Settings

DATABASES = ["sqlite", "postgres"]


@pytest.fixture
def filled(world) -> FilledPage:
    return FilledPage(world)


@pytest.fixture(scope="module")
def content(make_sqlite) -> bytes:
    """The file of a page, made once for all tests; some minutes after it, see `later`."""
    clock = Clock()
    settings = {"DATABASE_URL": make_sqlite(), "SECRET_KEY": SECRET_KEY}
    filled = FilledPage(World(create_app(Settings.from_environ(settings), clock=clock), clock))
    written = export(filled.page_id)
    db.close()
    return written


@pytest.fixture
def later(world) -> World:
    """The world, when a file of `content` may be imported."""
    world.clock.forward(minutes=5)
    return world


@pytest.fixture(params=DATABASES)
def other_url(request) -> str:
    """The database of another installation; asked for before `filled`, which opens its own."""
    if request.param == "sqlite":
        return request.getfixturevalue("make_sqlite")()
    return request.getfixturevalue("postgres_database_url")
