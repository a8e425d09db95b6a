"""A filled database of version 0.7.0 is upgraded to this one; databases of others are refused."""

import pytest
from peewee import SqliteDatabase
from schema_description import describe_schema
from support import version_0_7_0
from support.folded import list_wrongly_folded
from support.version_0_7_0 import COMMIT, KEY, MIGRATIONS, MIGRATIONS_OF_0_6_0, PAGE_ID
from support.world import SECRET_KEY, SITE

from embed.db import schema_version
from embed.db.connection import db
from embed.db.folded import matches
from embed.db.models import MODELS, Job, Receiver, Wallet
from embed.domain.folding import parse_search
from embed.factory import create_app
from embed.notifications.channels import Ntfy, Unsupported, read_channel
from embed.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


@pytest.fixture
def app(empty_database_url):
    settings = {"DATABASE_URL": empty_database_url, "SECRET_KEY": SECRET_KEY}
    app = create_app(Settings.from_environ(settings))
    try:
        version_0_7_0.make()
        yield app
    finally:
        db.close()


def test_upgrade_replaces_the_migrations_and_keeps_all_rows(app):
    rows = version_0_7_0.dump()
    assert all(rows.values())

    assert schema_version.upgrade() == schema_version.list_migrations()

    assert version_0_7_0.dump() == rows
    assert schema_version.list_applied_migrations() == schema_version.list_migrations()
    assert schema_version.upgrade() == []


def test_schema_is_that_of_a_new_database(app):
    schema_version.upgrade()
    upgraded = describe_schema()
    db.drop_tables(MODELS)
    db.execute_sql("DROP TABLE schema_migration")

    schema_version.upgrade()

    assert upgraded == describe_schema()


def test_upgraded_page_is_served(app):
    schema_version.upgrade()

    answer = app.test_client().get(
        f"/api/embed/tracking/{PAGE_ID}",
        headers={"Authorization": f"Bearer {KEY}", "Origin": SITE},
    )

    assert answer.status_code == 200, answer.text
    assert [wallet["publicAlias"] for wallet in answer.json["wallets"]] == ["Ann"]
    assert answer.json["publicTitle"] == "Größe 我们"


def test_wallets_and_submissions_of_before_are_found_by_searches(app):
    schema_version.upgrade()

    assert list_wrongly_folded() == []
    assert Wallet.select().where(matches(Wallet.folded, parse_search("aNN"))).count() == 1


def test_channels_are_those_of_before_also_the_one_that_was_not_supported(app):
    schema_version.upgrade()

    targets = {one.id.rstrip("0"): one.target for one in Receiver.select()}
    assert read_channel(targets["ntfy"]) == Ntfy("topic")
    assert read_channel(targets["apprise"]) == Unsupported("pover://user@token")


def test_job_that_has_another_name_now_is_not_shown_twice(app):
    Job.create(name="feed", failure="It broke.")
    kept = {one.name for one in Job.select()} - {"feed"}

    schema_version.upgrade()

    assert {one.name for one in Job.select()} == kept


@pytest.mark.parametrize(
    "migrations",
    [
        pytest.param(MIGRATIONS_OF_0_6_0, id="0.6.0"),
        pytest.param(MIGRATIONS[:1], id="without the second"),
        pytest.param([*MIGRATIONS, "0003_own"], id="one more"),
    ],
)
def test_other_older_database_is_refused_with_the_commit_to_go_through(app, migrations):
    version_0_7_0.record(migrations)
    rows = version_0_7_0.dump()

    with pytest.raises(schema_version.OtherVersion, match=rf"older than .* commit {COMMIT}"):
        schema_version.upgrade()

    assert version_0_7_0.dump() == rows
    assert schema_version.list_applied_migrations() == migrations
    done = app.test_cli_runner().invoke(args=["db", "upgrade"])
    assert (done.exit_code, COMMIT in done.stderr) == (1, True)


def test_database_of_a_newer_version_is_refused_with_what_is_unknown(app):
    schema_version.upgrade()
    version_0_7_0.record([*schema_version.list_migrations(), "9999_later"])

    with pytest.raises(schema_version.OtherVersion, match=r"newer version .*\(9999_later\)"):
        schema_version.upgrade()


def test_upgrade_inside_a_transaction_is_refused_where_it_would_lose_rows(app):
    rows = version_0_7_0.dump()
    if isinstance(db.obj, SqliteDatabase):
        with pytest.raises(Exception, match="inside a transaction"), db.atomic():
            schema_version.upgrade()
        assert version_0_7_0.dump() == rows
