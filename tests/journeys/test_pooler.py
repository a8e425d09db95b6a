"""The service behind a real PgBouncer, which gives each transaction another connection."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from psycopg2.extensions import parse_dsn
from support.absence import skip_or_fail
from support.postgres import open_cursor
from support.remote import RemotePage, at_once, make_environ
from support.servers import Server, find_free_port, is_listening, run_gunicorn, wait_until
from support.world import Visitor

pytestmark = pytest.mark.slow

_SERVER_CONNECTIONS = 3
_CONFIG = """
[databases]
* = host={host} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
query_wait_timeout = 5
"""


class Pooler:
    def __init__(self, server_url: str, folder: Path) -> None:
        server = parse_dsn(server_url)
        self._port = find_free_port()
        self._config = folder / "pgbouncer.ini"
        self._config.write_text(
            _CONFIG.format(
                host=server["host"], user=server["user"], port=self._port, size=_SERVER_CONNECTIONS
            )
        )
        self.url = f"postgresql://embed@127.0.0.1:{self._port}/{server['dbname']}"
        program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
        if program is None:
            skip_or_fail("apt-get install pgbouncer brings a pooler for tests")
        self._command = [program, "-q", self._config]

    def start(self) -> None:
        how = {"user": "nobody"} if os.geteuid() == 0 else {}  # it refuses to run as root
        self._config.chmod(0o644)
        self._server = Server(self._command, **how)
        wait_until(lambda: is_listening(self._port), self._server.process)

    def stop(self) -> None:
        self._server.end(self._server.process.terminate)

    def read_settings(self, name: str) -> set[str]:
        """Return what a setting is, right now, in every connection to the server."""
        with ExitStack() as opened:
            connections = [
                opened.enter_context(open_cursor(self.url)) for _ in range(_SERVER_CONNECTIONS)
            ]
            return {one.execute(f"SHOW {name}").fetchone()[0] for one in connections}


@pytest.fixture
def pooler(postgres_database_url) -> Iterator[Pooler]:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # for nobody
        pooler = Pooler(postgres_database_url, Path(folder))
        pooler.start()
        yield pooler
        pooler.stop()


@pytest.fixture
def page(pooler) -> Iterator[RemotePage]:
    environ = make_environ(pooler.url)
    with run_gunicorn(environ) as server:
        yield RemotePage(server.url, environ)


def test_requests_over_other_connections_to_the_server_all_succeed(page):
    def use() -> list[int]:
        statuses = []
        for _ in range(10):
            statuses += [page.read().status_code for _ in range(3)]
            statuses.append(page.submit(Visitor()).status_code)
        return statuses

    assert {status for many in at_once([use] * 8) for status in many} == {200, 201}


def test_lock_is_not_waited_for_long_and_no_connection_keeps_what_was_set(
    page, pooler, postgres_database_url, tmp_path
):
    draft = page.draft(Visitor())
    with open_cursor(postgres_database_url) as holder:
        holder.execute("SELECT 1 FROM page FOR UPDATE")
        assert page.post(draft).status_code == 503
    assert page.post(draft).status_code == 201

    page.command("doctor")
    page.command("backup", str(tmp_path / "new.db"))

    for name in ("lock_timeout", "statement_timeout"):
        assert pooler.read_settings(name) == {"0"}
    assert pooler.read_settings("default_transaction_read_only") == {"off"}


@pytest.mark.parametrize("is_pooled", [True, False])
def test_table_that_an_operator_holds_is_not_waited_for_long(
    pooler, postgres_database_url, is_pooled
):
    environ = make_environ(pooler.url if is_pooled else postgres_database_url)
    with run_gunicorn(environ) as server, open_cursor(postgres_database_url) as operator:
        page = RemotePage(server.url, environ)
        assert page.read().status_code == 200
        operator.execute("LOCK TABLE api_key")

        answers = at_once([page.read] * 4)

        assert {(one.status_code, one.headers["Retry-After"]) for one in answers} == {(503, "5")}
        operator.connection.rollback()
        assert page.read().status_code == 200
