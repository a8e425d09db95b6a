"""The tables of a new database."""

import json

import pytest
from schema_description import describe_schema
from support.remote import at_once
from support.servers import run_flask
from support.world import SECRET_KEY, Visitor

from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.models import MODELS, Page

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


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


def test_upgrading_again_applies_nothing_and_loses_nothing(world):
    world.submit(Visitor())
    schema, kept = describe_schema(), world.dump()

    assert schema_version.upgrade() == []

    assert (describe_schema(), world.dump()) == (schema, kept)
    assert schema_version.list_missing_migrations() == []


def test_several_upgrades_at_once_apply_each_migration_once(empty_database):
    environ = {"DATABASE_URL": empty_database, "SECRET_KEY": SECRET_KEY}

    runs = at_once([lambda: run_flask("db", "upgrade", "--json", environ=environ)] * 3)

    applied = sorted(json.loads(run.stdout)["applied"] for run in runs)
    assert applied == [[], [], schema_version.list_migrations()]
    assert schema_version.list_missing_migrations() == []
    assert Page.select().count() == 0
