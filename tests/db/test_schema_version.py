"""Migrations, and what they do to rows."""

import json
import math
from decimal import Decimal

import pytest
from peewee import (
    DataError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
)
from schema_description import describe_schema
from support.remote import at_once
from support.servers import run_flask
from support.world import SECRET_KEY, Visitor

from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.models import (
    MODELS,
    Balance,
    Page,
)

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
    migrations = sorted(path.stem for path in schema_version.MIGRATIONS_DIR.glob("*.py"))
    assert applied == [[], [], migrations]
    assert schema_version.list_missing_migrations() == []
    assert Page.select().count() == 0


def insert(table: str, **values: object) -> None:
    columns = ", ".join(f'"{name}"' for name in values)
    places = ", ".join([db.param] * len(values))
    db.execute_sql(f'INSERT INTO "{table}" ({columns}) VALUES ({places})', list(values.values()))  # noqa: S608


def select(sql: str) -> list[tuple]:
    return sorted(map(tuple, db.execute_sql(sql).fetchall()))


PAGE = {
    "created_at": 0,
    "token_name": "n",
    "token_symbol": "s",
    "token_mint": "m",
    "is_public": True,
    "is_embeddable": True,
    "auto_approve": False,
    "queue_capacity": 1,
    "cooldown_s": 1,
    "trust_after": 0,
    "version": 1,
}


def insert_page(page_id: str, *, min_balance: float) -> None:
    """Insert a page at an early version, with a row of every table that refers to it."""
    key_id, tag_id = f"{page_id}-key", f"{page_id}-tag"
    wallet_id = f"{page_id}-wallet"
    insert("page", id=page_id, owner_id="owner", min_balance=min_balance, **PAGE)
    page = {"page_id": page_id, "created_at": 0}
    key = {"key_hash": page_id, "display_prefix": "p", "origins": "", "allow_null_origin": False}
    insert("api_key", id=key_id, tier="public", **key, **page)
    insert("tag", id=tag_id, name="t", color="c", **page)
    insert("wallet", id=wallet_id, address="a", is_hidden=False, **page)
    insert("wallet_tag", wallet_id=wallet_id, tag_id=tag_id)
    submission = {"wallet_address": "a", "nickname": "n", "status": "pending"}
    insert("submission", id=f"{page_id}-sent", api_key_id=key_id, **submission, **page)


def count_rows() -> list[int]:
    people = "person" if db.table_exists("person") else "owner"
    return [
        db.execute_sql(f'SELECT COUNT(*) FROM "{table}"').fetchone()[0]  # noqa: S608
        for table in (people, "page", "api_key", "tag", "wallet", "wallet_tag", "submission")
    ]


# A stored double, and its amount after the upgrade.
DOUBLES = (
    (0.0, "0"),
    (-0.0, "0"),
    (1500.0, "1500"),
    (0.1, "0.1"),
    (0.1 + 0.2, "0.30000000000000004"),
    (1e-7, "0.0000001"),
    (18446744073.709551615, "18446744073.709553"),  # a double holds no more digits
    (1.8446744073709552e19, "18446744073709552000"),
    (1e20, "100000000000000000000"),
    (1 / 30_000, "0.000033333333333333335"),
)


def fill_with_doubles() -> None:
    """Upgrade an empty database to the last version that stored doubles, and insert rows."""
    schema_version.upgrade(last="0001_initial")
    insert("owner", id="owner", created_at=0, email="owner@example.com")
    for number, (double, _) in enumerate(DOUBLES):
        insert_page(f"page-{number}", min_balance=double)
        row = {"address": f"address-{number}", "amount": double, "observed_at": number}
        insert("balance", owner_id="owner", mint="m", slot=number or None, **row)
    schema_version.upgrade(last="0002_dashboard")


def test_doubles_become_exact_amounts_and_all_else_stays(empty_database):
    fill_with_doubles()
    before = count_rows()
    pages_before = select("SELECT id, owner_id, token_mint, queue_capacity FROM page")
    observed = select("SELECT address, owner_id, mint, observed_at FROM balance")

    assert schema_version.upgrade()[0] == "0003_exact_amounts"

    amounts = [(number, text) for number, (_, text) in enumerate(DOUBLES)]
    assert select("SELECT id, min_balance FROM page") == [(f"page-{n}", t) for n, t in amounts]
    kept = select("SELECT address, amount FROM balance")
    assert kept == [(f"address-{n}", text) for n, text in amounts]
    assert {page.min_balance for page in Page.select()} == {Decimal(text) for _, text in amounts}
    assert count_rows() == before
    assert select("SELECT id, owner_id, token_mint, queue_capacity FROM page") == pages_before
    assert select("SELECT address, owner_id, mint, observed_at FROM balance") == observed


def test_doubles_are_not_read_before_they_became_amounts(empty_database):
    fill_with_doubles()

    for amount in (Page.min_balance, Balance.amount):
        with pytest.raises(ProgrammingError, match="to be upgraded"):
            list(amount.model.select(amount))


def test_upgrade_inside_a_transaction_is_refused_where_it_would_lose_rows(tmp_path):
    connection.open_database(f"sqlite:///{tmp_path / 'embed.db'}")
    fill_with_doubles()
    before = count_rows()

    with pytest.raises(ProgrammingError, match="inside a transaction"), db.atomic():
        schema_version.upgrade()

    assert count_rows() == before
    db.close()


def test_references_are_kept_again_after_doubles_became_exact_amounts(empty_database):
    """The upgrade suspends them on its connection; test_old_databases.py compares the rules."""
    fill_with_doubles()
    schema_version.upgrade()

    with pytest.raises(IntegrityError), db.atomic():
        db.execute_sql("UPDATE page SET owner_id = 'nobody'")
    db.execute_sql("DELETE FROM page WHERE id <> 'page-0'")
    assert set(count_rows()) == {1}


def test_doubles_stay_when_one_cannot_become_an_amount(empty_database):
    fill_with_doubles()
    insert("balance", owner_id="owner", mint="m", address="b", amount=math.inf, observed_at=0)
    schema, kept = describe_schema(), select("SELECT id, min_balance FROM page")

    with pytest.raises((IntegrityError, OperationalError, DataError)):
        schema_version.upgrade()

    assert (describe_schema(), select("SELECT id, min_balance FROM page")) == (schema, kept)
    assert schema_version.list_missing_migrations()[0] == "0003_exact_amounts"


def test_only_lists_that_everybody_can_read_are_in_the_feed_after_the_upgrade(empty_database):
    schema_version.upgrade(last="0001_initial")
    insert("owner", id="owner", created_at=0, email="owner@example.com")
    for page_id in ("open", "private", "closed", "deleted"):
        insert_page(page_id, min_balance=0)
    db.execute_sql("UPDATE page SET is_public = NOT is_public WHERE id = 'private'")
    db.execute_sql("UPDATE page SET is_embeddable = NOT is_public WHERE id = 'closed'")
    db.execute_sql("UPDATE page SET deleted_at = 1 WHERE id = 'deleted'")

    schema_version.upgrade()

    assert select("SELECT page_id, address, joined_at FROM listing") == [("open", "a", 0)]


def test_one_preview_key_of_each_page_stays_and_no_submission_is_lost(empty_database):
    schema_version.upgrade(last="0001_initial")
    insert("owner", id="owner", created_at=0, email="owner@example.com")
    for page_id in ("one", "other"):
        insert_page(page_id, min_balance=0)
    schema_version.upgrade(last="0003_exact_amounts")
    for page_id in ("one", "other"):
        for number in range(3):
            key_id = f"{page_id}-preview-{number}"
            insert(
                "api_key",
                id=key_id,
                created_at=number,
                page_id=page_id,
                tier="public",
                key_hash=key_id,
                display_prefix="p",
                origins="",
                allow_null_origin=False,
                is_preview=True,
                revoked_at=None if number else 1,
            )
            insert(
                "submission",
                id=f"{key_id}-sent",
                created_at=0,
                page_id=page_id,
                api_key_id=key_id,
                wallet_address=key_id,
                nickname="n",
                status="pending",
                has_added_wallet=False,
            )
    sent = select("SELECT id, page_id FROM submission")
    assert len(sent) == 8

    schema_version.upgrade()

    kept = [row[0] for row in select("SELECT id FROM api_key WHERE purpose = 'preview'")]
    assert kept == ["one-preview-2", "other-preview-2"]
    assert select("SELECT id, page_id FROM submission") == sent
    used = select("SELECT DISTINCT api_key_id FROM submission")
    assert {row[0] for row in used} == {*kept, "one-key", "other-key"}


@pytest.fixture
def page_of_version_7(empty_database) -> None:
    """A page, and the tables before wallets named their submission."""
    schema_version.upgrade(last="0001_initial")
    insert("owner", id="owner", created_at=0, email="owner@example.com")
    insert_page("page", min_balance=0)
    schema_version.upgrade(last="0007_key_labels")


def insert_wallet(name: str, at: int, submission_at: int | None = None, **decided: object) -> None:
    """Insert a wallet of version 7, and its submission if that was approved."""
    page = {"page_id": "page", "created_at": at}
    state = {"is_hidden": True, "low_count": 0, "is_withheld": False}
    insert("wallet", id=name, address=name, **state, **page)
    if submission_at is not None:
        values = {"status": "approved", "decided_at": at, "has_added_wallet": False}
        insert(
            "submission",
            id=f"{name}-sent",
            page_id="page",
            created_at=submission_at,
            api_key_id="page-key",
            wallet_address=name,
            nickname="n",
            **values | decided,
        )


@pytest.mark.usefixtures("page_of_version_7")
def test_wallets_name_the_submission_that_put_them_on_the_page_after_the_upgrade():
    insert_wallet("approved", 100, 90, has_added_wallet=True)
    insert_wallet("at-once", 110, 110, status="auto_approved")
    insert_wallet("own-before", 130, 140, decided_at=150)
    # Withdrawn while they were hidden, and not sent again, or not approved yet:
    insert_wallet("hidden", 170)
    insert_wallet("hidden-waiting", 180, 20_100, decided_at=None, status="pending")
    # Withdrawn while they were hidden, and sent again:
    insert_wallet("anew", 1_000, 20_100, decided_at=20_200)
    insert_wallet("anew-at-once", 2_000, 20_150, decided_at=20_150, status="auto_approved")
    # Entered by the owner: by hand, by a table, and before there was a log.
    insert_wallet("by-hand", 300, 20_100, decided_at=20_200)
    insert_wallet("by-hand-alone", 310)
    insert_wallet("imported", 15_003, 20_100, decided_at=20_200)
    insert_wallet("unlogged", 50, 20_100, decided_at=20_200)
    insert_wallet("unlogged-alone", 60)
    insert_wallet("added-later", 20_060)
    entry = {"page_id": "page", "actor": "a", "subject": "s"}
    for number, (at, action) in enumerate(
        [(99, "create page"), (300, "add wallet"), (310, "add wallet"), (15_000, "import wallets")]
    ):
        insert("activity", id=str(number), created_at=at, action=action, **entry)
    insert("withdrawal", submission_id="gone", page_id="page", withdrawn_at=20_050)

    schema_version.upgrade()

    named = dict(select("SELECT id, submission_id FROM wallet WHERE submission_id IS NOT NULL"))
    assert named == {
        name: f"{name}-sent" for name in ("approved", "at-once", "anew", "anew-at-once")
    }
    withdrawn = select("SELECT id FROM wallet WHERE is_withdrawn ORDER BY id")
    assert withdrawn == [("hidden",), ("hidden-waiting",)]


@pytest.mark.usefixtures("page_of_version_7")
def test_wallets_that_a_submission_put_there_are_told_to_the_version_before():
    insert_wallet("approved", 100, 90, has_added_wallet=True)
    insert_wallet("at-once", 110, 110, status="auto_approved")
    insert_wallet("own", 130, 140, decided_at=150)
    query = "SELECT id FROM submission WHERE has_added_wallet"
    before = select(query)
    schema_version.upgrade(last="0008_wallet_submission")

    schema_version.downgrade("0008_wallet_submission")

    assert select(query) == before == [("approved-sent",)]
