"""``pytest --deployment``: the same tests, against the service as it is deployed.

Tests that hand requests to an app in their own process then send them to the deployment, whose
database and clock they share.
"""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.deployments import DATABASE_BY_DEPLOYMENT, SERVICE, Deployment, run_grown, run_small
from support.servers import PROJECT_DIR, run_gunicorn

if TYPE_CHECKING:
    from support.http_client import HttpClient

CLOCKED = "support.clocked_app:app"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--deployment",
        choices=DATABASE_BY_DEPLOYMENT,
        help="run against one form of the service, small or grown (tests/support/deployments.py)",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what says nothing about deployments, and what needs the app in its own process."""
    if config.getoption("--deployment") is None:
        return
    kept = [
        item
        for item in items
        if item.get_closest_marker("deployed") and not item.get_closest_marker("in_process")
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.fixture(scope="session")
def serve(request) -> Callable[..., AbstractContextManager[Any]]:
    """Start the service: ``with serve(environ) as server``, at ``server.url``.

    One gunicorn, or the deployment that the command line names.
    """
    deployment = request.config.getoption("--deployment")
    if deployment == "grown":
        redis_url = request.getfixturevalue("redis_url")
        return lambda environ, app=SERVICE: run_grown(environ, redis_url, app=app)
    if deployment == "small":
        return run_small
    return run_gunicorn


class ClockedServices:
    """Services with a clock that tests move: one for each set of settings, the last few of them."""

    LIMIT = 2

    def __init__(self, serve: Callable[..., Any], clock_file: Path, hops: int) -> None:
        self._serve = serve
        self._settings = {
            "SHARED_CLOCK": str(clock_file),
            "TRUSTED_PROXIES": str(hops),
            "PYTHONPATH": str(PROJECT_DIR / "tests"),
        }
        self._running: dict[frozenset[tuple[str, str]], tuple[Deployment, ExitStack]] = {}
        self._numbers = itertools.count(1)
        self.clock_file = clock_file

    def find_client(self, environ: dict[str, str]) -> "HttpClient":
        """Return a client for one test; `environ` is what the service is started with."""
        key = frozenset(environ.items())
        if key not in self._running:
            while len(self._running) >= self.LIMIT:
                self._end(next(iter(self._running)))
            stack = ExitStack()
            service = stack.enter_context(self._serve(environ | self._settings, app=CLOCKED))
            self._running[key] = service, stack
        from support.http_client import HttpClient

        return HttpClient(self._running[key][0].url, next(self._numbers))

    def _end(self, key: frozenset[tuple[str, str]]) -> None:
        self._running.pop(key)[1].close()

    def close(self) -> None:
        for key in list(self._running):
            self._end(key)


@pytest.fixture(scope="session")
def clocked_services(request, serve, tmp_path_factory) -> Iterator[ClockedServices | None]:
    """The services of `world`, None: the app in this process."""
    deployment = request.config.getoption("--deployment")
    if deployment is None:
        yield None
        return
    hops = {"small": 1, "grown": 2}[deployment]  # the test pretends to be a proxy
    services = ClockedServices(serve, tmp_path_factory.mktemp("clock") / "clock", hops)
    yield services
    services.close()


class ReusedSqlite:
    """A database that is emptied for the next test, while a service has it open."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        tables = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
            " AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migration'"
        ).fetchall()
        deletions = "".join(f'DELETE FROM "{table}";' for (table,) in tables)  # noqa: S608
        self._script = f"BEGIN IMMEDIATE; {deletions} COMMIT"

    def empty(self) -> None:
        self._connection.executescript(self._script)

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="session")
def reused_sqlite(make_sqlite) -> Iterator[ReusedSqlite]:
    database = ReusedSqlite(make_sqlite())
    yield database
    database.close()
