"""A filled database of version 0.6.0 is upgraded to this one; databases of others are refused."""

import pytest
from peewee import SqliteDatabase
from schema_description import describe_schema
from support import version_0_6_0
from support.version_0_6_0 import KEY, ROWS, read_rows
from support.world import SECRET_KEY, SITE

from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.models import MODELS, Passkey, Person
from embed.factory import create_app
from embed.people import passwords
from embed.runtime import EXTENSION
from embed.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

# What this version keeps in another form, by table and column; see the tests below.
CHANGED: dict[str, tuple[str, ...]] = {}
GONE: tuple[str, ...] = ("linked_wallet", "recovery_code")  # tables


@pytest.fixture
def app(empty_database_url):
    settings = {"DATABASE_URL": empty_database_url, "SECRET_KEY": SECRET_KEY}
    app = create_app(Settings.from_environ(settings))
    try:
        version_0_6_0.make()
        yield app
    finally:
        db.close()


def without(table: str, rows: list[dict]) -> list[str]:
    """Return the rows, sorted, without what is kept in another form."""
    changed = CHANGED.get(table, ())
    kept = [{name: row[name] for name in row if name not in changed} for row in rows]
    return sorted(repr(sorted(row.items())) for row in kept)


def test_all_rows_are_kept_but_for_what_left(app):
    assert {model._meta.table_name for model in MODELS} == ROWS.keys() - {*GONE}

    assert schema_version.upgrade() == ["0002_from_0_6_0"]

    for table, rows in ROWS.items():
        if table not in GONE:
            assert without(table, read_rows(table)) == without(table, rows), table
    assert not set(GONE) & set(db.get_tables())
    assert schema_version.list_applied_migrations() == schema_version.list_migrations()
    assert schema_version.upgrade() == []


def test_schema_is_that_of_the_models(app):
    schema_version.upgrade()
    found = describe_schema()
    with db.atomic() as transaction:
        db.drop_tables(MODELS)
        db.create_tables(MODELS)
        expected = describe_schema()
        transaction.rollback()

    assert found == expected


def test_upgraded_page_is_served(app):
    schema_version.upgrade()

    answer = app.test_client().get(
        f"/api/embed/tracking/{ROWS['page'][0]['id']}",
        headers={"Authorization": f"Bearer {KEY}", "Origin": SITE},
    )

    assert answer.status_code == 200, answer.text
    assert [wallet["publicAlias"] for wallet in answer.json["wallets"]] == ["Alias 0"]
    assert answer.json["publicTitle"] == "Größe 我们"


def test_people_whose_password_was_off_keep_passkeys_and_need_a_link_for_a_password(app):
    off = f"off:{'x' * 20}"
    db.execute_sql(f"UPDATE person SET password_hash = '{off}' WHERE email LIKE 'owner@%%'")  # noqa: S608
    schema_version.upgrade()

    owner, other = Person.select().order_by(Person.email.desc())
    assert owner.password_hash.startswith("$argon2id$")
    assert other.password_hash is None
    assert Passkey.get().person == owner
    for password in ("", off):
        assert passwords.find_by_password(owner.email, password) is None
    signer = app.extensions[EXTENSION].signer
    first = passwords.build_link(Person(id=owner.id, password_hash=None), signer, "")
    assert passwords.find_by_link(first.rpartition("/")[2], signer) is None
    link = passwords.build_link(owner, signer, "")
    assert passwords.find_by_link(link.rpartition("/")[2], signer) == owner


@pytest.mark.parametrize("newest", ["0001_initial", "0007_key_labels", "0022_public_by_link"])
def test_database_older_than_0_6_0_is_refused_with_the_way_to_this_version(app, newest):
    db.execute_sql(f"DELETE FROM schema_migration WHERE name > '{newest}'")  # noqa: S608
    rows = read_rows("page")

    with pytest.raises(schema_version.OtherVersion, match=r"older than version 0\.6\.0: upgrade"):
        schema_version.upgrade()

    assert read_rows("page") == rows
    done = app.test_cli_runner().invoke(args=["db", "upgrade"])
    assert (done.exit_code, "0.6.0" in done.stderr) == (1, True)


def test_database_of_a_newer_version_is_refused_with_what_is_unknown(app):
    schema_version.upgrade()
    db.execute_sql("UPDATE schema_migration SET name = '0003_x' WHERE name = '0002_from_0_6_0'")

    with pytest.raises(schema_version.OtherVersion, match=r"newer version .*\(0003_x\)"):
        schema_version.upgrade()


def test_upgrade_inside_a_transaction_is_refused_where_it_would_lose_rows(app):
    if isinstance(connection.db.obj, SqliteDatabase):
        with pytest.raises(Exception, match="inside a transaction"), db.atomic():
            schema_version.upgrade()
        assert read_rows("wallet_tag") == ROWS["wallet_tag"]
