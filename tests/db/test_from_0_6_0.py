"""A filled database of version 0.6.0 is upgraded to this one; databases of others are refused."""

import json

import pytest
from peewee import SqliteDatabase
from schema_description import describe_schema
from support import version_0_6_0
from support.version_0_6_0 import ADDRESSES, AT, KEY, ROWS, insert, read_rows
from support.world import SECRET_KEY, SITE

from embed.db import connection, schema_version
from embed.db.apprise_addresses import read_fields
from embed.db.connection import db
from embed.db.models import MODELS, Page, Passkey, Person
from embed.domain.look import DEFAULT_LOOK
from embed.factory import create_app
from embed.notifications.channels import (
    Discord,
    Email,
    Ntfy,
    Slack,
    Telegram,
    Unsupported,
    read_channel,
)
from embed.people import passwords
from embed.runtime import EXTENSION
from embed.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

# What this version keeps in another form, by table and column; see the tests below.
OTHER_MINT = "1" * 44
CHANGED: dict[str, tuple[str, ...]] = {
    "job": ("leased_by", "leased_until"),
    "receiver": ("is_slow", "claimed_until", "target"),
}
GONE = (  # tables
    "domain_name",
    "imported_balance",
    "imported_day",
    "linked_wallet",
    "recovery_code",
    "worker_process",
)
NEW: tuple[str, ...] = ("lease",)  # tables


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
    assert {model._meta.table_name for model in MODELS} == ROWS.keys() - {*GONE} | {*NEW}

    assert schema_version.upgrade() == ["0002_from_0_6_0"]

    for table, rows in ROWS.items():
        if table not in GONE:
            assert without(table, read_rows(table)) == without(table, rows), table
    assert not set(GONE) & set(db.get_tables())
    assert schema_version.list_applied_migrations() == schema_version.list_migrations()
    assert schema_version.upgrade() == []


def test_channels_keep_going_where_they_went(app):
    schema_version.upgrade()

    targets = {row["id"].rstrip("0"): row["target"] for row in read_rows("receiver")}
    assert targets["receiver"] == "https://example.com/hook"
    assert read_channel(targets["ntfy"]) == Ntfy("topic")
    assert read_channel(targets["gone"]) == Unsupported("pover://user@token")
    assert targets["own"] == ""


DISCORD, SLACK = (
    "https://discord.com/api/webhooks/417/tok-en_1",
    "https://hooks.slack.com/services/T1/B1/Xy",
)
TELEGRAM = "tgram://123456789:abcdefg_hijkl"


@pytest.mark.parametrize(
    ("address", "channel"),
    [
        ("ann@example.com", Email("ann@example.com")),
        ("mailtos://me:pass@mail.example?to=ann@example.com&name=X", Email("ann@example.com")),
        ("mailto://me:pass@mail.example/ann@example.com", Email("ann@example.com")),
        ("mailtos://me:pass@example.com", Email("me@example.com")),
        ("mailtos://me:pass@example.com?to=a@b.example,c@d.example", None),
        ("mailtos://me:pass@example.com?to=a@b.example&bcc=c@d.example", None),
        (f"{TELEGRAM}/-100123/?format=text", Telegram("123456789:abcdefg_hijkl", "-100123")),
        (
            f"{TELEGRAM.replace('://', '://bot')}/news_1",
            Telegram("123456789:abcdefg_hijkl", "@news_1"),
        ),
        (f"{TELEGRAM}/@news_1", Telegram("123456789:abcdefg_hijkl", "@news_1")),
        *((f"{TELEGRAM}{rest}", None) for rest in ("", "/1/2", "/1:2", "/1?topic=2", "/1?to=2")),
        ("discord://417/tok-en_1", Discord(DISCORD)),
        ("discord://Bot@417/tok-en_1/?avatar=no", Discord(DISCORD)),
        ("https://discordapp.com/api/webhooks/417/tok-en_1/", Discord(DISCORD)),
        ("discord://417/tok-en_1?thread=9", None),
        ("slack://Bot@T1/B1/Xy", Slack(SLACK)),
        (SLACK, Slack(SLACK)),
        ("slack://T1/B1/Xy/general", None),
        ("slack://T1/B1/Xy/#general", None),
        ("slack://xoxb-1234/general", None),
        ("ntfys://ntfy.example:8443/a-topic", Ntfy("a-topic", "https://ntfy.example:8443")),
        ("ntfy://tk_abc@ntfy.example/a-topic", Ntfy("a-topic", "http://ntfy.example", "tk_abc")),
        ("ntfy://ntfy.sh/a-topic?priority=high", Ntfy("a-topic")),
        ("ntfys://a-topic", Ntfy("a-topic")),
        ("https://ntfy.sh/a-topic", Ntfy("a-topic")),
        ("ntfys://ann:pass@ntfy.example/a-topic", None),
        ("ntfys://ntfy.example/one/two", None),
        ("ntfys://ntfy.example/a-topic?email=ann@example.com", None),
        *((each, None) for each in ("pover://user@token", "json://[::1", "", "{}", "ntfy://x:y/z")),
    ],
)
def test_address_of_apprise_is_read_exactly_or_not_at_all(address, channel):
    fields = read_fields(address)

    assert fields is None if channel is None else read_channel(json.dumps(fields)) == channel


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
    with pytest.raises(passwords.UsedLink):
        passwords.find_by_link(first.rpartition("/")[2], signer)
    link = passwords.build_link(owner, signer, "")
    assert passwords.find_by_link(link.rpartition("/")[2], signer) == owner


def test_newest_imported_balances_become_entered_ones_unless_the_owner_entered_one(app):
    page, deleted = (one["id"] for one in ROWS["page"])
    imported = {  # by page and address
        (page, ADDRESSES[0]): [(9, "77")],
        (page, ADDRESSES[1]): [(1, "1"), (3, "18446744073709.551615"), (2, "2")],
        (deleted, ADDRESSES[1]): [(4, "4")],
    }
    for number, ((page_id, address), days) in enumerate(imported.items(), start=50):
        insert("imported_balance", id=number, page_id=page_id, mint=OTHER_MINT, address=address)
        for day, amount in days:
            insert("imported_day", balance_id=number, day=day, amount=amount, observed_at=AT + day)
    entered = {"owner_id": ROWS["person"][0]["id"], "mint": OTHER_MINT, "observed_at": AT}
    insert("balance", **entered, address=ADDRESSES[0], amount="5")

    schema_version.upgrade()

    found = {
        (row["owner_id"], row["address"]): (row["amount"], row["observed_at"])
        for row in read_rows("balance")
        if row["mint"] == OTHER_MINT
    }
    owner, other = (one["id"] for one in ROWS["person"])
    assert found == {
        (owner, ADDRESSES[0]): ("5", AT),
        (owner, ADDRESSES[1]): ("18446744073709.551615", AT + 3),
        (other, ADDRESSES[1]): ("4", AT + 4),
    }


def test_look_that_showed_domain_names_is_kept_without_them(app):
    look = '{"accent":"7c4ddb","names":"beside"}'
    db.execute_sql(f"UPDATE page SET look = '{look}'")  # noqa: S608
    schema_version.upgrade()

    kept = Page.get_by_id(ROWS["page"][0]["id"]).look

    assert kept.write_texts() == DEFAULT_LOOK.write_texts() | {"accent": "7c4ddb"}


@pytest.mark.parametrize("newest", ["0001_initial", "0007_key_labels", "0022_public_by_link"])
def test_database_older_than_0_6_0_is_refused_with_the_way_to_this_version(app, newest):
    db.execute_sql(f"DELETE FROM schema_migration WHERE name > '{newest}'")  # noqa: S608
    rows = read_rows("page")

    with pytest.raises(schema_version.OtherVersion, match=r"older than version 0\.6\.0\. Upgrade"):
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
