"""Fixtures for all tests: a fresh database for each, on SQLite and on Postgres."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from servers import Unavailable, run_postgres, run_valkey
from world import SECRET_KEY, Clock, World

from embed.db import connection
from embed.factory import create_app
from embed.settings import Settings

DATABASES = ["sqlite", "postgres"]


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
    name = _create_database(postgres_url)
    _upgrade(postgres_url.format(name=name))
    return name


@pytest.fixture(params=DATABASES)
def database_url(request, tmp_path) -> str:
    """The address of a fresh database of this version."""
    return _make_database(request, tmp_path)


@pytest.fixture(params=DATABASES)
def emptied_database_url(request, tmp_path) -> str:
    """As database_url, for tests in this process: Postgres empties one faster than it makes one."""
    if request.param == "sqlite":
        return _make_database(request, tmp_path)
    url = request.getfixturevalue("reused_postgres_url")
    _empty(url)
    return url


@pytest.fixture(scope="session")
def reused_postgres_url(postgres_url, postgres_template) -> str:
    return postgres_url.format(name=_create_database(postgres_url, postgres_template))


@pytest.fixture(scope="module", params=DATABASES)
def shared_database_url(request, tmp_path_factory) -> str:
    """The address of a database for a whole file, whose tests make a page each."""
    return _make_database(request, tmp_path_factory.mktemp("shared"))


@pytest.fixture
def postgres_database_url(postgres_url, postgres_template) -> str:
    """The address of a fresh Postgres database, for what SQLite has no word for."""
    return postgres_url.format(name=_create_database(postgres_url, postgres_template))


@pytest.fixture(params=DATABASES)
def empty_database_url(request, tmp_path) -> str:
    """The address of a database that holds nothing yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'embed.db'}"
    server = request.getfixturevalue("postgres_url")
    return server.format(name=_create_database(server))


def _make_database(request, folder: Path) -> str:
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        return f"sqlite:///{shutil.copy(template, folder / 'embed.db')}"
    server = request.getfixturevalue("postgres_url")
    template = request.getfixturevalue("postgres_template")
    return server.format(name=_create_database(server, template))


def _create_database(server: str, template: str = "template1") -> str:
    name = f"test_{os.urandom(8).hex()}"
    with psycopg.connect(server.format(name="postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return name


def _empty(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no foreign keys for now
        connection.execute("SET lock_timeout = '10s'")
        tables = connection.execute(
            "SELECT tablename FROM pg_tables"
            " WHERE schemaname = 'public' AND tablename != 'schema_migration'"
        )
        for (table,) in tables.fetchall():
            connection.execute(f'DELETE FROM "{table}"')  # noqa: S608


def _upgrade(url: str) -> None:
    connection.open_database(url)
    connection.upgrade()
    connection.db.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def environ(emptied_database_url) -> dict[str, str]:
    """The settings of a test's service; a test may change them before it asks for `app`."""
    return {"DATABASE_URL": emptied_database_url, "SECRET_KEY": SECRET_KEY}


@pytest.fixture
def balances():
    """What the service asks for balances; None leaves it to the service."""


@pytest.fixture
def app(environ, clock, balances):
    app = create_app(Settings.from_environ(environ), clock=clock, balances=balances)
    yield app
    connection.db.close()


@pytest.fixture
def world(app, clock) -> World:
    """A tracking page with keys, and visitors who act on it in this process."""
    return World(app, clock)


@pytest.fixture
def world_with(environ, request):
    """Make the world with some settings changed: ``world_with(LIMIT_PER_IP="2/hour")``."""

    def make(**variables: str) -> World:
        environ.update(variables)
        return request.getfixturevalue("world")

    return make
