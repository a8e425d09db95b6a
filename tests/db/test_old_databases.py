"""A database of every earlier version, filled, is upgraded to this one; and one version back."""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product

import pytest
from schema_description import describe_schema
from support.old_databases import (
    FOUND,
    GIVEN,
    KEY,
    MIGRATIONS,
    OLD_NAMES,
    REPLACED,
    ROWS,
    list_columns,
    make_old,
    read_rows,
)
from support.owner_browser import PASSWORD, find_token, hash_cheaply
from support.world import SECRET_KEY, SITE, USDC

from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.models import MODELS, Activity, ChainBalance, Member, Message, Page, Token
from embed.domain.activity import read_facts, write_subject
from embed.errors import InvalidInput
from embed.factory import create_app
from embed.keys import access, derived
from embed.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


@dataclass(frozen=True)
class Upgraded:
    """A filled database of an earlier version after its upgrade."""

    url: str
    applied: list[str]
    old_columns: dict[str, set[str]]
    last: str  # the newest migration before


@pytest.fixture(scope="module", params=product(["sqlite", "postgres"], MIGRATIONS), ids="-".join)
def upgraded(request, make_bare_database) -> Upgraded:
    kind, last = request.param
    url = make_bare_database(kind)
    connection.open_database(url)
    make_old(last)
    old_columns = list_columns()
    applied = schema_version.upgrade()
    db.close()
    return Upgraded(url, applied, old_columns, last)


@pytest.fixture
def app(upgraded):
    settings = {"DATABASE_URL": upgraded.url, "SECRET_KEY": SECRET_KEY}
    yield create_app(Settings.from_environ(settings))
    db.close()


@pytest.fixture
def empty_app(empty_database_url):
    settings = {"DATABASE_URL": empty_database_url, "SECRET_KEY": SECRET_KEY}
    yield create_app(Settings.from_environ(settings))
    db.close()


def sort(rows: list[dict]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


def test_every_table_of_today_has_rows_in_the_old_databases():
    assert set(ROWS) == {model._meta.table_name for model in MODELS}


def test_rows_are_kept_and_new_columns_have_their_defaults(app, upgraded):
    assert upgraded.applied == MIGRATIONS[MIGRATIONS.index(upgraded.last) + 1 :]
    today = list_columns()
    new_names = {old: name for name, old in OLD_NAMES.items()}
    for old_table, old_columns in upgraded.old_columns.items():
        table = new_names.get(old_table, old_table)
        if table != "schema_migration":
            expected = [
                {
                    name: value
                    if name in old_columns
                    or (table, name) in FOUND
                    or REPLACED.get((table, name)) in old_columns
                    else GIVEN.get((table, name))
                    for name, value in row.items()
                    if name in today[table]
                }
                for row in ROWS[table]
            ]
            assert sort(read_rows(table)) == sort(expected), table


def test_schema_is_that_of_the_models(app, upgraded):
    """And so are its rules. A fresh database has the same: see test_schema_version.py."""
    found = describe_schema()
    with db.atomic() as transaction:
        db.drop_tables(MODELS)
        db.create_tables(MODELS)
        expected = describe_schema()
        transaction.rollback()

    assert found == expected


def test_upgraded_page_is_served(app):
    answer = app.test_client().get(
        f"/api/embed/tracking/{ROWS['page'][0]['id']}",
        headers={"Authorization": f"Bearer {KEY}", "Origin": SITE},
    )

    assert answer.status_code == 200, answer.text
    assert [wallet["publicAlias"] for wallet in answer.json["wallets"]] == ["Alias 0"]
    assert answer.json["publicTitle"] == "Größe 我们"


# The first version that had a dashboard to sign in to, to the last whose pages had owners only.
@pytest.mark.parametrize("last", MIGRATIONS[1 : MIGRATIONS.index("0015_people")])
def test_owner_of_an_old_database_has_to_do_nothing_but_sign_in_once(empty_app, last):
    make_old(last)
    table = "owner" if db.table_exists("owner") else "person"
    mark = db.param
    db.execute_sql(
        f"UPDATE {table} SET password_hash = {mark}, email = {mark} WHERE id = {mark}",  # noqa: S608 -- names of ours
        (hash_cheaply(), "ann@example.com", ROWS["person"][0]["id"]),
    )

    schema_version.upgrade()

    client, sign_in = empty_app.test_client(), "/dashboard/sign-in"
    fields = {"email": "ann@example.com", "password": PASSWORD}
    token = find_token(client.get(sign_in).text)
    assert client.post(sign_in, data=fields | {"csrf_token": token}).status_code == 303
    page = f"/dashboard/pages/{ROWS['page'][0]['id']}"
    for path in ("queue", "wallets", "keys", "people", "policy", "settings"):
        assert client.get(f"{page}/{path}").status_code == 200, path
    assert client.get("/dashboard/pages/new").status_code == 200  # nobody is a guest
    assert {one.owner_id for one in Page.select()} == {row["owner_id"] for row in ROWS["page"]}
    assert Member.select().count() == 0


@pytest.mark.parametrize("column", ["observed_at", "all_observed_at"])
def test_balances_and_tokens_that_an_import_brought_from_the_future_are_forgotten(
    empty_app, column
):
    make_old("0009_log_as_data")
    later = datetime(2999, 1, 1, tzinfo=UTC)
    ChainBalance.update({column: later}).execute()
    Token.update(observed_at=later).execute()

    schema_version.upgrade()

    for table in ("chain_balance", "daily_balance", "token"):
        assert read_rows(table) == []


@pytest.mark.parametrize(
    ("table", "kind", "text"),
    [
        ("message", "submission.created", "no JSON"),
        ("message", "submission.created", '{"a":' * 3000),
        ("message", "submission.created", '{"amount":1e999}'),
        ("activity", "flag wallet", f"{USDC}: holds 0.{'0' * 200}1, the minimum is 1"),
        ("activity", "hide wallets", "9" * 6000),
    ],
)
def test_what_a_forged_file_brought_does_not_stop_the_upgrade(empty_app, table, kind, text):
    """Version 0.5.0 imported any text there."""
    make_old("0008_wallet_submission")
    column, tag = ("subject", "action") if table == "activity" else ("data", "type")
    connection.db.execute_sql(
        f'UPDATE "{table}" SET "{column}" = {db.param}, "{tag}" = {db.param}',  # noqa: S608 -- names of ours
        (text, kind),
    )

    schema_version.upgrade()

    if table == "activity":
        entries = Activity.select()
        assert {write_subject(one.action, read_facts(one.data)) for one in entries} == {text}
    else:
        assert {(one.data, one.address) for one in Message.select()} == {(text, None)}


# One version back


@pytest.mark.parametrize("name", MIGRATIONS[MIGRATIONS.index("0006_proofs") + 1 :])
def test_migration_can_be_undone_without_losing_more_than_it_added(empty_app, name):
    before = MIGRATIONS[MIGRATIONS.index(name) - 1]
    make_old(before)
    tables = list_columns().keys() & ROWS.keys()
    facts, rows = describe_schema(), {table: sort(read_rows(table)) for table in tables}
    schema_version.upgrade(last=name)

    done = empty_app.test_cli_runner().invoke(args=["db", "downgrade", "--yes"])

    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"Undone: {name}. Lost: ")
    assert describe_schema() == facts
    assert {table: sort(read_rows(table)) for table in tables} == rows
    assert schema_version.list_missing_migrations()[0] == name
    assert schema_version.upgrade(last=name) == [name]


def test_mails_that_people_asked_for_end_in_the_version_before_which_would_not_know_them(
    empty_app,
):
    make_old("0019_members_receivers")
    (own,) = read_rows("receiver")
    db.execute_sql(
        "INSERT INTO receiver (id, created_at, page_id, kind, target, event_types,"
        " failed_attempts, is_slow, person_id) SELECT 'own', created_at, page_id, 'channel', '',"
        " '', 0, is_slow, (SELECT MIN(id) FROM person) FROM receiver"
    )
    db.execute_sql(
        "INSERT INTO delivery (message_id, receiver_id, state, attempts)"
        " VALUES (9, 'own', 'waiting', 0)"
    )

    schema_version.downgrade("0019_members_receivers")

    assert [row["id"] for row in read_rows("receiver")] == [own["id"]]
    assert [row["receiver_id"] for row in read_rows("delivery")] == [own["id"]]


@pytest.mark.parametrize(
    ("look", "before"),
    [
        ('{"names":"beside"}', None),
        ('{"size":18,"names":"instead"}', '{"size": 18}'),
        ('{"accent":"7c4ddb","radius":3}', '{"accent":"7c4ddb","radius":3}'),
    ],
)
def test_look_with_names_can_be_read_by_the_version_before(empty_app, look, before):
    make_old("0021_domain_names")
    db.execute_sql(f"UPDATE page SET look = '{look}'")  # noqa: S608 -- written above

    schema_version.downgrade("0021_domain_names")

    assert {row["look"] for row in read_rows("page")} == {before}


def test_links_end_in_the_version_before_which_keeps_what_was_sent_by_them(empty_app):
    make_old("0022_public_by_link")
    page_id, at = ROWS["page"][0]["id"], ROWS["page"][0]["created_at"]
    now = datetime.fromtimestamp(at / 1000, UTC)
    derived.share_page(page_id, now)
    key = derived.get_link_key(Page.get_by_id(page_id), [SECRET_KEY])
    link = access.find_access(key)
    db.execute_sql(f"UPDATE submission SET api_key_id = '{link.key_id}'")  # noqa: S608 -- an id of ours
    sent = sort(read_rows("submission"))

    schema_version.downgrade("0022_public_by_link")

    (row,) = [each for each in read_rows("api_key") if each["id"] == link.key_id]
    assert (row["is_preview"], row["revoked_at"], row["label"]) == (0, at, "Public by link")
    assert sort(read_rows("submission")) == sent
    schema_version.upgrade()
    derived.share_page(page_id, now)
    again = access.get_access(derived.get_link_key(Page.get_by_id(page_id), [SECRET_KEY]))
    assert again.key_id != link.key_id


def test_nothing_is_undone_without_confirmation(empty_app):
    schema_version.upgrade(last="0007_key_labels")

    done = empty_app.test_cli_runner().invoke(args=["db", "downgrade"])

    assert (done.exit_code, done.stdout) == (2, "")
    assert "This undoes 0007_key_labels; lost: the labels of keys; add --yes" in done.stderr
    assert schema_version.list_applied_migrations()[-1] == "0007_key_labels"


def test_migration_that_would_lose_proofs_is_not_undone(empty_app):
    schema_version.upgrade(last="0006_proofs")

    with pytest.raises(InvalidInput, match="0006_proofs cannot be undone: restore the backup"):
        schema_version.find_revertible()


def test_empty_database_has_nothing_to_undo(empty_app):
    with pytest.raises(InvalidInput, match="no tables"):
        schema_version.find_revertible()
