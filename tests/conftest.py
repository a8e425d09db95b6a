"""Fixtures for all tests: a fresh database for each, on SQLite and on Postgres."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from servers import Unavailable, run_postgres, run_valkey
from world import SECRET_KEY, Clock, World

from embed import database
from embed.factory import create_app
from embed.settings import Settings


def _provide(server):
    """Yield a server's address; skip where it cannot be had, but never in CI."""
    try:
        with server() as url:
            yield url
    except Unavailable as why:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(why))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a running cluster, with ``{name}`` for the database's name."""
    yield from _provide(run_postgres)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    yield from _provide(run_valkey)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("template") / "embed.db"
    _upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres_url) -> str:
    _create_database(postgres_url, "template_embed")
    _upgrade(postgres_url.format(name="template_embed"))
    return "template_embed"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request, tmp_path) -> str:
    """The address of a fresh database of this version."""
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        return f"sqlite:///{shutil.copy(template, tmp_path / 'embed.db')}"
    server = request.getfixturevalue("postgres_url")
    template = request.getfixturevalue("postgres_template")
    name = f"test_{os.urandom(8).hex()}"
    _create_database(server, name, template)
    return server.format(name=name)


def _create_database(server: str, name: str, template: str = "template1") -> None:
    with psycopg.connect(server.format(name="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")


def _upgrade(url: str) -> None:
    database.open_database(url)
    database.upgrade()
    database.db.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def environ(database_url) -> dict[str, str]:
    """The settings of a test's service; a test may change them before it asks for `app`."""
    return {"DATABASE_URL": database_url, "SECRET_KEY": SECRET_KEY}


@pytest.fixture
def app(environ, clock):
    app = create_app(Settings.from_environ(environ), clock=clock)
    yield app
    database.db.close()


@pytest.fixture
def world(app, clock) -> World:
    """A tracking page with keys, and visitors who act on it in this process."""
    return World(app, clock)
