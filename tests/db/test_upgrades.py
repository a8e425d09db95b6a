"""Upgrades: what they make, what is answered meanwhile, and when they are tried again."""

import json

import pytest
from peewee import OperationalError
from schema_description import describe_schema
from support import version_0_7_0
from support.remote import at_once
from support.servers import run_flask
from support.world import SECRET_KEY, code_of

from embed import public_payload
from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.models import MODELS, Page
from embed.factory import create_app
from embed.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

API = "/api/embed"


@pytest.fixture
def empty_database(empty_database_url):
    connection.open_database(empty_database_url)
    yield empty_database_url
    db.close()


def test_migrations_make_the_schema_that_the_models_describe(empty_database):
    schema_version.upgrade()
    migrated = describe_schema()
    db.drop_tables(MODELS)
    assert describe_schema() == []

    db.create_tables(MODELS)

    assert migrated == describe_schema()
    assert len(migrated) > 2 * len(MODELS)


def test_several_upgrades_at_once_apply_each_migration_once(empty_database):
    environ = {"DATABASE_URL": empty_database, "SECRET_KEY": SECRET_KEY}

    runs = at_once([lambda: run_flask("db", "upgrade", "--json", environ=environ)] * 3)

    applied = sorted(json.loads(run.stdout)["applied"] for run in runs)
    assert applied == [[], [], schema_version.list_migrations()]
    assert schema_version.list_missing_migrations() == []
    assert Page.select().count() == 0


# While it goes on


@pytest.fixture
def client(empty_database_url):
    """A client of a service whose database has no tables yet."""
    settings = {"DATABASE_URL": empty_database_url, "SECRET_KEY": SECRET_KEY}
    yield create_app(Settings.from_environ(settings)).test_client()
    db.close()


def test_request_is_told_to_come_back_and_changes_no_table(client):
    # An older version's; an empty SQLite database would get its tables at the first request.
    db.execute_sql("CREATE TABLE schema_migration (id INTEGER, name VARCHAR, applied TIMESTAMP)")
    version_0_7_0.record(version_0_7_0.MIGRATIONS)
    tables, missing = db.get_tables(), schema_version.list_missing_migrations()
    assert missing
    headers = {"Authorization": f"Bearer svc_sec_{'0' * 32}"}

    for method, path in (
        ("GET", f"{API}/tracking/{'x' * 20}"),
        ("POST", f"{API}/siws/nonce"),
    ):
        answer = client.open(path, method=method, headers=headers, json={})
        assert code_of(answer) == "unavailable", path
    for path in (f"/embed/tracking/x?key=svc_pub_{'0' * 32}", "/dashboard/password/x"):
        answer = client.get(path)
        assert answer.status_code < 500 or int(answer.headers["Retry-After"]) > 0, path

    assert (db.get_tables(), schema_version.list_missing_migrations()) == (tables, missing)


@pytest.mark.parametrize("missing", ["SELECT * FROM nowhere", "SELECT no_column FROM page"])
def test_upgrade_that_ends_while_a_request_fails_makes_no_bug_of_it(world, monkeypatch, missing):
    monkeypatch.setattr(public_payload, "find_page", lambda *_, **__: db.execute_sql(missing))

    assert code_of(world.read()) == "unavailable"


def test_upgrade_is_tried_until_it_works_with_growing_bounded_waits(client, monkeypatch):
    failures = [OperationalError("away")] * 7
    really_list = schema_version.list_missing_migrations

    def list_missing(_: object = None) -> list[str]:
        if failures:
            raise failures.pop()
        return really_list()

    monkeypatch.setattr(schema_version, "list_missing_migrations", list_missing)
    waits: list[float] = []

    schema_version.upgrade_until_done(waits.append)

    assert waits == [0.5, 1, 2, 4, 5, 5, 5]
    assert really_list() == []
    schema_version.upgrade_until_done(waits.append)
    assert len(waits) == 7


def test_upgrade_that_fails_midway_leaves_nothing_and_is_tried_again(client, tmp_path, monkeypatch):
    lines = "def up(migrator, db):\n    db.execute_sql('CREATE TABLE half (id INTEGER)')\n"
    first = tmp_path / "0001_first.py"
    first.write_text(f"{lines}    db.execute_sql('SELECT * FROM nowhere')\n")  # noqa: S608
    (tmp_path / "0002_second.py").write_text("def up(migrator, db):\n    pass\n")
    monkeypatch.setattr(schema_version, "MIGRATIONS_DIR", tmp_path)
    seen = []

    def mend(_wait_s: float) -> None:
        seen.append("half" in db.get_tables())
        db.close()
        first.write_text(lines)

    schema_version.upgrade_until_done(mend)

    assert seen == [False]
    assert schema_version.list_missing_migrations() == []
