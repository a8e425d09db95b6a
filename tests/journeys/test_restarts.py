"""What survives a restart, and what happens while a part of the installation is unavailable."""

import pytest
import requests
from support import version_0_7_0
from support.postgres import open_cursor
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import open_postgres, run_gunicorn
from support.waiting import wait_for
from support.world import Visitor

from embed.db import connection, schema_version

pytestmark = pytest.mark.slow

OLD = "an older secret of some length"
NEW = "a newer secret of some length"


def test_rotated_secret_key_opens_what_the_old_one_sealed_until_that_is_dropped(database_url):
    old = make_environ(database_url, SECRET_KEY=OLD)
    with run_gunicorn(old) as server:
        page, visitor, late_visitor = RemotePage(server.url, old), Visitor(), Visitor()
        page.open_widget(visitor)
        draft, late_draft = page.draft(visitor), page.draft(late_visitor)

    with run_gunicorn(make_environ(database_url, SECRET_KEY=f"{NEW},{OLD}")) as server:
        page.server_url = server.url
        assert page.post(draft, cookie=visitor.cookie).status_code == 201
        assert len(page.list_own(visitor).json["submissions"]) == 1
        newly_sealed = page.draft(Visitor())

    with run_gunicorn(make_environ(database_url, SECRET_KEY=NEW)) as server:
        page.server_url = server.url
        answer = page.post(late_draft)
        assert (answer.status_code, answer.json) == (400, {"error": "invalid_nonce"})
        assert page.list_own(visitor).json == {"submissions": []}
        assert page.post(newly_sealed).status_code == 201


def test_server_that_started_before_its_database_upgrades_it_as_soon_as_that_is_there(redis_url):
    with open_postgres() as postgres:
        database_url = postgres.create_database()
        environ = make_environ(database_url, RATELIMIT_STORAGE_URI=redis_url)
        connection.open_database(database_url)
        version_0_7_0.make()
        connection.db.close()
        postgres.stop()
        with run_gunicorn(environ, "--workers", "2") as server:
            url = f"{server.url}/api/embed/tracking/x"
            headers = {"Authorization": f"Bearer svc_sec_{'0' * 32}"}
            answer = requests.get(url, headers=headers, timeout=TIMEOUT_S)
            assert (answer.status_code, answer.json()) == (503, {"error": "unavailable"})
            assert int(answer.headers["Retry-After"]) > 0

            postgres.start()

            # The service gets no requests meanwhile.
            wait_for(lambda: read_applied(database_url) == schema_version.list_migrations())
            page = RemotePage(server.url, environ)
            assert page.read().status_code == 200
            assert page.submit(Visitor()).status_code == 201


def read_applied(database_url: str) -> list[str]:
    with open_cursor(database_url, autocommit=True) as asking:
        rows = asking.execute("SELECT name FROM schema_migration ORDER BY name").fetchall()
    return [name for (name,) in rows]
