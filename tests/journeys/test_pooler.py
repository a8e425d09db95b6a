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

SERVER_CONNECTIONS = 3
CONFIG = """
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


@pytest.fixture
def pooler_url(postgres_database_url) -> Iterator[str]:
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        skip_or_fail("apt-get install pgbouncer brings a pooler for tests")
    server, port = parse_dsn(postgres_database_url), find_free_port()
    how = {"user": "nobody"} if os.geteuid() == 0 else {}  # it refuses to run as root
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        config = Path(folder, "pgbouncer.ini")
        where = {"host": server["host"], "user": server["user"], "port": port}
        config.write_text(CONFIG.format(size=SERVER_CONNECTIONS, **where))
        pooler = Server([program, "-q", config], **how)
        wait_until(lambda: is_listening(port), pooler.process)
        yield f"postgresql://embed@127.0.0.1:{port}/{server['dbname']}"
        pooler.end(pooler.process.terminate)


def test_requests_over_other_connections_succeed_and_leave_no_setting_in_them(
    pooler_url, postgres_database_url
):
    environ = make_environ(pooler_url)
    with run_gunicorn(environ) as server:
        page = RemotePage(server.url, environ)
        draft = page.draft(Visitor())
        with open_cursor(postgres_database_url) as holder:
            holder.execute("SELECT 1 FROM page FOR UPDATE")
            assert page.post(draft).status_code == 503  # it doesn't wait for long
        assert page.post(draft).status_code == 201

        def use() -> set[int]:
            return {page.read().status_code for _ in range(20)} | {
                page.submit(Visitor()).status_code for _ in range(5)
            }

        assert set().union(*at_once([use] * 8)) == {200, 201}

    with ExitStack() as opened:
        every = [opened.enter_context(open_cursor(pooler_url)) for _ in range(SERVER_CONNECTIONS)]
        for name, usual in (("lock_timeout", "0"), ("default_transaction_read_only", "off")):
            assert {one.execute(f"SHOW {name}").fetchone()[0] for one in every} == {usual}
