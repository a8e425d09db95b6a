"""Fixtures for all tests: a fresh database for each, SQLite unless the test says otherwise.

Each process of pytest-xdist has its own servers, which start when a test first needs them. What
only some tests need, such as solders, is imported by their fixtures.
"""

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg2
import pytest
from peewee import Database
from support.apps import Apps
from support.deployments import DATABASE_BY_DEPLOYMENT
from support.postgres import Cursor, open_cursor
from support.servers import open_postgres, open_valkey, provide
from support.shared_clock import SharedClock
from support.world import SECRET_KEY, Clock, World

from embed import public_payload
from embed.db import connection, schema_version
from embed.settings import Settings

if TYPE_CHECKING:
    from chain.ledger import Ledger
    from chain.rpc_server import RpcServer

pytest_plugins = ["support.deployed"]
if find_spec("hypothesis") is not None:
    pytest_plugins.append("support.hypothesis_profiles")
# Where a query or a lock can differ: @pytest.mark.databases("sqlite", "postgres").
DATABASE_FIXTURES = {
    "database_url",
    "emptied_database_url",
    "shared_database_url",
    "empty_database_url",
}
SLOW_KINDS = {"postgres": pytest.mark.slow}  # where a test takes twice as long
MEMORY_DIR = Path("/dev/shm")  # noqa: S108


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose a test's databases: those of its mark, that of its deployment, or SQLite."""
    deployment = metafunc.config.getoption("--deployment")
    for fixture in DATABASE_FIXTURES.intersection(metafunc.fixturenames):
        mark = metafunc.definition.get_closest_marker("databases")
        kinds = mark.args if mark is not None else ("sqlite",)
        kinds = [pytest.param(kind, marks=SLOW_KINDS.get(kind, ())) for kind in kinds]
        if deployment is not None:
            kinds = (DATABASE_BY_DEPLOYMENT[deployment],)
        metafunc.parametrize(fixture, kinds, indirect=True)


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of garbage collection, which takes a tenth less."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def apps() -> Apps:
    """The apps that tests share; a test that adds routes to its own has others."""
    return Apps()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a running cluster, with ``{name}`` for the database's name."""
    for server in provide(open_postgres):
        yield server.url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    for server in provide(open_valkey):
        yield f"redis+unix://{server.path}"


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("template") / "embed.db"
    _upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def make_sqlite(memory_dir, sqlite_template) -> Callable[[], str]:
    """Make a fresh SQLite database in memory, and return its address: ``make_sqlite()``."""

    def make() -> str:
        folder = Path(tempfile.mkdtemp(dir=memory_dir))
        return f"sqlite:///{shutil.copy(sqlite_template, folder / 'embed.db')}"

    return make


@pytest.fixture(scope="session")
def postgres_template(postgres_url) -> str:
    name = _create_database(postgres_url)
    _upgrade(postgres_url.format(name=name))
    return name


@pytest.fixture
def database_url(request, tmp_path) -> str:
    """The address of a fresh database of this version."""
    return _make_database(request, tmp_path)


@pytest.fixture
def emptied_database_url(request) -> Iterator[str]:
    """As database_url, for tests in this process: emptying is faster than creating in Postgres."""
    if request.param == "sqlite" and not request.config.getoption("--deployment"):
        folder = Path(tempfile.mkdtemp(dir=request.getfixturevalue("memory_dir")))
        yield _make_database(request, folder)
        shutil.rmtree(folder)
    else:
        database = request.getfixturevalue(f"reused_{request.param}")
        database.empty()
        yield database.url


@pytest.fixture(scope="session")
def memory_dir() -> Iterator[Path]:
    """A folder in memory, if possible: SQLite syncs the disk at every commit."""
    parent = MEMORY_DIR if os.access(MEMORY_DIR, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="embed-db-", dir=parent) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def reused_postgres(postgres_url, postgres_template) -> Iterator["ReusedPostgres"]:
    name = _create_database(postgres_url, postgres_template)
    database = ReusedPostgres(postgres_url.format(name=name))
    yield database
    database.close()


@pytest.fixture(scope="module")
def shared_database_url(request, memory_dir) -> str:
    """The address of a database shared by a file's tests, each of which creates its own page."""
    return _make_database(request, Path(tempfile.mkdtemp(dir=memory_dir)))


@pytest.fixture(scope="session")
def make_postgres(postgres_url, postgres_template) -> Callable[[], str]:
    """Make a fresh Postgres database, and return its address: ``make_postgres()``."""
    return lambda: postgres_url.format(name=_create_database(postgres_url, postgres_template))


@pytest.fixture
def postgres_database_url(make_postgres) -> str:
    """The address of a fresh Postgres database, for features that SQLite does not have."""
    return make_postgres()


@pytest.fixture
def empty_database_url(request, make_bare_database) -> str:
    """The address of a database without tables."""
    return make_bare_database(request.param)


@pytest.fixture(scope="session")
def make_bare_database(request, memory_dir) -> Callable[[str], str]:
    """Make a database without tables: ``make_bare_database("sqlite")``, or ``"postgres"``."""

    def make(kind: str) -> str:
        if kind == "sqlite":
            path = Path(tempfile.mkdtemp(dir=memory_dir), "embed.db")
            path.touch(mode=0o600)
            return f"sqlite:///{path}"
        server = request.getfixturevalue("postgres_url")
        return server.format(name=_create_database(server))

    return make


def _make_database(request, folder: Path) -> str:
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        return f"sqlite:///{shutil.copy(template, folder / 'embed.db')}"
    server = request.getfixturevalue("postgres_url")
    template = request.getfixturevalue("postgres_template")
    return server.format(name=_create_database(server, template))


def _create_database(server: str, template: str = "template1") -> str:
    name = f"test_{os.urandom(8).hex()}"
    with open_cursor(server.format(name="postgres"), autocommit=True) as operator:
        operator.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return name


class ReusedPostgres:
    """A database that is emptied and reused for the next test."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connect()
        tables = self._cursor.execute(
            "SELECT quote_ident(tablename) FROM pg_tables"
            " WHERE schemaname = 'public' AND tablename != 'schema_migration'"
        )
        self._deletion = ";".join(f"DELETE FROM {table}" for (table,) in tables)  # noqa: S608

    def _connect(self) -> None:
        options = "-c session_replication_role=replica -c lock_timeout=10s"  # without foreign keys
        connection = psycopg2.connect(self.url, cursor_factory=Cursor, options=options)
        connection.autocommit = True
        self._cursor = connection.cursor()

    def empty(self) -> None:
        try:
            self._cursor.execute(self._deletion)
        except psycopg2.OperationalError:
            if not self._cursor.connection.closed:
                raise
            self._connect()  # a test had ended all connections
            self._cursor.execute(self._deletion)

    def close(self) -> None:
        self._cursor.connection.close()


def _upgrade(url: str) -> None:
    connection.open_database(url)
    schema_version.upgrade()
    connection.db.close()


@pytest.fixture
def clock(clocked_services) -> Clock:
    return Clock() if clocked_services is None else SharedClock(clocked_services.clock_file)


@pytest.fixture
def environ(emptied_database_url) -> dict[str, str]:
    """The settings of a test's service; a test may change them before it asks for `app`."""
    return {"DATABASE_URL": emptied_database_url, "SECRET_KEY": SECRET_KEY}


@pytest.fixture
def balances():
    """The service's balance source; None: its default."""


@pytest.fixture
def ledger() -> "Ledger":
    """A ledger of its own for the test."""
    from chain.ledger import Ledger

    return Ledger()


@pytest.fixture
def endpoint(ledger) -> "Iterator[RpcServer]":
    """An RPC server of that ledger."""
    from chain.rpc_server import run_rpc

    with run_rpc(ledger) as server:
        yield server


@pytest.fixture
def chain():
    """The service's access to the chain; None: as its settings say."""


@pytest.fixture
def app(apps, environ, clock, balances, chain):
    if chain is not None:
        environ.setdefault("SOLANA_RPC_URL", "http://127.0.0.1:9/")  # nothing listens there
    yield apps.find(Settings.from_environ(environ), clock=clock, balances=balances, chain=chain)
    connection.db.close()


@pytest.fixture
def world(app, clock, environ, clocked_services) -> World:
    """A tracking page with keys, and visitors who act on it in this process, or on a deployment."""
    world = World(app, clock)
    if clocked_services is not None:
        world.client = clocked_services.find_client(environ)
    return world


@pytest.fixture
def world_with(environ, request):
    """Make the world with some settings changed: ``world_with(LIMIT_PER_IP="2/hour")``."""

    def make(**variables: str) -> World:
        environ.update(variables)
        return request.getfixturevalue("world")

    return make


@pytest.fixture
def count_statements(monkeypatch):
    """Count the database statements of a call: ``count_statements(act)``."""
    seen: list[str] = []
    execute = Database.execute_sql

    def count_and_execute(database, sql, *arguments, **more):
        seen.append(sql)
        return execute(database, sql, *arguments, **more)

    monkeypatch.setattr(Database, "execute_sql", count_and_execute)

    def count(act) -> int:
        seen.clear()
        act()
        return len(seen)

    return count


@pytest.fixture
def built(monkeypatch) -> list[str]:
    """The pages whose payload was built, in order."""
    pages = []
    list_wallets = public_payload.list_wallets

    def record_and_list(page, *conditions, **how):
        pages.append(page.id)
        return list_wallets(page, *conditions, **how)

    monkeypatch.setattr(public_payload, "list_wallets", record_and_list)
    return pages
