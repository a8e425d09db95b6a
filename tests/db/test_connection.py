"""The schema, its upgrades, and how connections are opened."""

import json
import math
import operator
import os
import socket
import stat
import threading
from decimal import Decimal

import pytest
from peewee import (
    DataError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
)
from remote import at_once
from schema_description import describe_schema
from servers import run_flask
from world import SECRET_KEY, Visitor, World

from embed import pages
from embed.db import connection
from embed.db.connection import db
from embed.db.models import (
    MODELS,
    Balance,
    ChainBalance,
    DailyBalance,
    Delivery,
    Job,
    Listing,
    Message,
    Page,
    Receiver,
    Submission,
    Token,
    UsedNonce,
    Withdrawal,
    WorkerProcess,
)
from embed.domain.identifiers import make_id
from embed.settings import Settings
from embed.wallets import tags


@pytest.fixture
def empty_database(empty_database_url):
    connection.open_database(empty_database_url)
    yield empty_database_url
    db.close()


def dump(*left_out: type) -> dict[str, list[tuple]]:
    return {
        model.__name__: sorted(model.select().tuples(), key=repr)
        for model in MODELS
        if model not in left_out
    }


# Migrations


def test_migrations_make_the_schema_that_the_models_describe(empty_database):
    connection.upgrade()
    migrated = describe_schema()
    db.drop_tables(MODELS)
    assert describe_schema() == []

    db.create_tables(MODELS)

    assert migrated == describe_schema()
    assert len(migrated) > 2 * len(MODELS)


def test_upgrading_again_applies_nothing_and_loses_nothing(world):
    world.submit(Visitor())
    schema, kept = describe_schema(), dump()

    assert connection.upgrade() == []

    assert (describe_schema(), dump()) == (schema, kept)
    assert connection.list_missing_migrations() == []


def test_several_upgrades_at_once_apply_each_migration_once(empty_database):
    environ = {"DATABASE_URL": empty_database, "SECRET_KEY": SECRET_KEY}

    runs = at_once([lambda: run_flask("db", "upgrade", "--json", environ=environ)] * 3)

    applied = sorted(json.loads(run.stdout)["applied"] for run in runs)
    migrations = sorted(path.stem for path in connection.MIGRATIONS_DIR.glob("*.py"))
    assert applied == [[], [], migrations]
    assert connection.list_missing_migrations() == []
    assert Page.select().count() == 0


def test_upgrade_that_fails_leaves_nothing_behind(empty_database, tmp_path, monkeypatch):
    (tmp_path / "0001_first.py").write_text(
        "def up(migrator, db):\n    db.execute_sql('CREATE TABLE half (id INTEGER)')\n"
    )
    (tmp_path / "0002_second.py").write_text("def up(migrator, db):\n    raise RuntimeError\n")
    monkeypatch.setattr(connection, "MIGRATIONS_DIR", tmp_path)

    with pytest.raises(RuntimeError):
        connection.upgrade()

    assert "half" not in db.get_tables()
    assert connection.list_missing_migrations() == ["0001_first", "0002_second"]


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


def count_rows() -> dict[str, int]:
    return {
        table: db.execute_sql(f'SELECT COUNT(*) FROM "{table}"').fetchone()[0]  # noqa: S608
        for table in ("owner", "page", "api_key", "tag", "wallet", "wallet_tag", "submission")
    }


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
    connection.upgrade(last="0001_initial")
    insert("owner", id="owner", created_at=0, email="owner@example.com")
    for number, (double, _) in enumerate(DOUBLES):
        insert_page(f"page-{number}", min_balance=double)
        row = {"address": f"address-{number}", "amount": double, "observed_at": number}
        insert("balance", owner_id="owner", mint="m", slot=number or None, **row)
    connection.upgrade(last="0002_dashboard")


def test_doubles_become_exact_amounts_and_all_else_stays(empty_database):
    fill_with_doubles()
    before = count_rows()
    pages_before = select("SELECT id, owner_id, token_mint, queue_capacity FROM page")
    observed = select("SELECT address, owner_id, mint, observed_at FROM balance")

    assert connection.upgrade()[0] == "0003_exact_amounts"

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
        connection.upgrade()

    assert count_rows() == before
    db.close()


def test_rules_hold_after_doubles_became_exact_amounts(empty_database):
    fill_with_doubles()
    connection.upgrade()

    for broken in (
        "UPDATE page SET min_balance = '-0.5'",
        "UPDATE balance SET amount = '-0.5'",
        "UPDATE page SET queue_capacity = -1",
        "UPDATE page SET owner_id = 'nobody'",
        "UPDATE balance SET owner_id = 'nobody'",
        "UPDATE balance SET address = 'address-0'",
        "UPDATE wallet SET page_id = 'nowhere'",
        "DELETE FROM owner",
    ):
        with pytest.raises(IntegrityError), db.atomic():
            db.execute_sql(broken)

    db.execute_sql("DELETE FROM page WHERE id <> 'page-0'")
    assert set(count_rows().values()) == {1}
    db.execute_sql("DELETE FROM page")
    db.execute_sql("DELETE FROM owner")
    assert select("SELECT address FROM balance") == []


def test_doubles_stay_when_one_cannot_become_an_amount(empty_database):
    fill_with_doubles()
    insert("balance", owner_id="owner", mint="m", address="b", amount=math.inf, observed_at=0)
    schema, kept = describe_schema(), select("SELECT id, min_balance FROM page")

    with pytest.raises((IntegrityError, OperationalError, DataError)):
        connection.upgrade()

    assert (describe_schema(), select("SELECT id, min_balance FROM page")) == (schema, kept)
    assert connection.list_missing_migrations()[0] == "0003_exact_amounts"


def test_only_lists_that_everybody_can_read_are_in_the_feed_after_the_upgrade(empty_database):
    connection.upgrade(last="0001_initial")
    insert("owner", id="owner", created_at=0, email="owner@example.com")
    for page_id in ("open", "private", "closed", "deleted"):
        insert_page(page_id, min_balance=0)
    db.execute_sql("UPDATE page SET is_public = NOT is_public WHERE id = 'private'")
    db.execute_sql("UPDATE page SET is_embeddable = NOT is_public WHERE id = 'closed'")
    db.execute_sql("UPDATE page SET deleted_at = 1 WHERE id = 'deleted'")

    connection.upgrade()

    assert select("SELECT page_id, address, joined_at FROM listing") == [("open", "a", 0)]


def test_one_preview_key_of_each_page_stays_and_no_submission_is_lost(empty_database):
    connection.upgrade(last="0001_initial")
    insert("owner", id="owner", created_at=0, email="owner@example.com")
    for page_id in ("one", "other"):
        insert_page(page_id, min_balance=0)
    connection.upgrade(last="0003_exact_amounts")
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

    connection.upgrade()

    kept = [row[0] for row in select("SELECT id FROM api_key WHERE is_preview")]
    assert kept == ["one-preview-2", "other-preview-2"]
    assert select("SELECT id, page_id FROM submission") == sent
    used = select("SELECT DISTINCT api_key_id FROM submission")
    assert {row[0] for row in used} == {*kept, "one-key", "other-key"}


# Connections


@pytest.mark.parametrize("umask", [0o022, 0o077, 0])
def test_database_is_made_for_its_user_alone_in_a_folder_that_was_there_before(tmp_path, umask):
    before = os.umask(umask)
    try:
        connection.open_database(f"sqlite:///{tmp_path / 'embed.db'}")
        connection.upgrade()
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
        db.close()

    assert modes == dict.fromkeys(["embed.db", "embed.db-wal", "embed.db-shm"], 0o600)


def test_database_that_was_there_keeps_its_permissions_and_rows(tmp_path):
    path = tmp_path / "embed.db"
    connection.open_database(f"sqlite:///{path}")
    connection.upgrade()
    db.close()
    path.chmod(0o640)

    connection.open_database(f"sqlite:///{path}")

    assert connection.list_missing_migrations() == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    db.close()


def test_every_sqlite_connection_is_durable_and_keeps_foreign_keys(tmp_path):
    connection.open_database(f"sqlite:///{tmp_path / 'new' / 'embed.db'}")
    pragmas = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 20_000}
    seen = []

    def read_pragmas() -> None:
        seen.append({name: db.execute_sql(f"PRAGMA {name}").fetchone()[0] for name in pragmas})
        db.close()

    for _ in range(2):
        thread = threading.Thread(target=read_pragmas)
        thread.start()
        thread.join()

    assert seen == [pragmas, pragmas]


def test_both_names_of_the_postgres_scheme_open_the_same_database(postgres_database_url):
    short = postgres_database_url.replace("postgresql://", "postgres://")
    environ = {"DATABASE_URL": short, "SECRET_KEY": SECRET_KEY}

    connection.open_database(Settings.from_environ(environ).database_url)

    try:
        assert Page.select().count() == 0
    finally:
        db.close()


def test_postgres_that_accepts_and_says_nothing_is_given_up_on(monkeypatch):
    shortest_s = 2  # that Postgres knows
    monkeypatch.setitem(connection._CONNECTION_LIMITS, "connect_timeout", shortest_s)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        connection.open_database(f"postgresql://embed@127.0.0.1:{silent.getsockname()[1]}/embed")

        with pytest.raises(OperationalError, match="timeout"):
            db.connect()


# Constraints


BROKEN_ROWS = {
    "negative_capacity": lambda world: Page.update(queue_capacity=-1),
    "negative_minimum": lambda world: Page.update(min_balance=Decimal("-0.5")),
    "negative_cooldown": lambda world: Page.update(cooldown_s=-1),
    "pending_but_decided": lambda world: Submission.update(decided_at=world.clock()),
    "approved_without_a_time": lambda world: Submission.update(status="approved"),
    "unknown_status": lambda world: Submission.update(status="lost"),
    "unknown_page": lambda world: Submission.update(page="nowhere"),
    "owner_without_whom_pages_are": lambda world: type(world.page.owner).delete(),
}


@pytest.mark.parametrize("broken", BROKEN_ROWS)
def test_database_refuses_broken_rows(world, broken):
    world.submit(Visitor())
    before = dump()

    with pytest.raises(IntegrityError), db.atomic():
        BROKEN_ROWS[broken](world).execute()

    assert dump() == before


@pytest.mark.parametrize(("table", "column"), [("page", "min_balance"), ("balance", "amount")])
def test_database_refuses_texts_that_are_no_amounts(world, table, column):
    world.observe(Visitor().address, "18446744073.709551615")
    before = dump()

    for text in ("", "-1", "-0.5", "+1", "NaN", "Infinity", "1e5", ".5", ".", "1.2.3", "1,5", "١"):
        with pytest.raises(IntegrityError), db.atomic():
            db.execute_sql(f"UPDATE {table} SET {column} = {db.param}", [text])  # noqa: S608

    assert dump() == before


def test_database_is_not_asked_to_order_amounts(world):
    for ask in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError, match="order amounts as texts"):
            ask(Balance.amount, Decimal(5))


@pytest.mark.parametrize("same", ["nonce", "wallet_address"])
def test_database_refuses_a_second_use_of_a_nonce_and_a_second_live_wallet(world, same):
    world.submit(Visitor())
    first = Submission.get()
    fields = {name: getattr(first, name) for name in ("page", "api_key", "nickname", "created_at")}
    other = {"nonce": "another", "wallet_address": Visitor().address, "status": "pending"}

    with pytest.raises(IntegrityError), db.atomic():
        Submission.create(**fields | other | {same: getattr(first, same)})


# Removal


OF_NO_PAGE = (Token, ChainBalance, DailyBalance, UsedNonce, Job, WorkerProcess)


def fill(world: World) -> None:
    """Insert rows of a page into every table."""
    world.configure(queue_capacity=2, cooldown_s=0)
    visitor = Visitor()
    world.open_widget(visitor)
    tags.add_tag(world.page_id, "team", "blue", world.clock())
    world.track(Visitor().address, tag_names=["team"], balance=5)
    world.approve(world.submit(Visitor()).json["submissionId"])
    world.reject(world.submit(Visitor()).json["submissionId"])
    world.submit(Visitor())
    world.submit(Visitor())
    world.read(headers={"Origin": "https://other.example"})
    assert world.submit(visitor).json == {"error": "queue_full"}
    world.revoke_all_keys()
    now = world.clock()
    Withdrawal.create(submission_id=make_id(), page=world.page_id, withdrawn_at=now)
    Listing.create(page=world.page_id, address=visitor.address, joined_at=now)
    receiver = Receiver.create(
        page=world.page_id, kind="channel", target="json://localhost", created_at=now
    )
    message = Message.create(page=world.page_id, type="test", data="{}", created_at=now)
    Delivery.create(message=message, receiver=receiver, state="waiting")


def test_purge_removes_everything_of_a_page_and_nothing_else(app, clock):
    fill(World(app, clock))
    before = dump(Balance)
    doomed = World(app, clock)
    fill(doomed)
    grown = dump(Balance)
    balances = dump()["Balance"]
    untouched = {name for name in grown if grown[name] == before[name]}
    assert untouched == {"Owner"} | {model.__name__ for model in OF_NO_PAGE}

    pages.purge_page(doomed.page_id)

    # Its balances were shared by the other page, which has another version since.
    others = [row for row in grown["Page"] if row[0] != doomed.page_id]
    assert dump(Balance) == before | {"Page": others}
    assert dump()["Balance"] == balances  # observations belong to addresses, not to pages


def test_purged_page_is_gone_for_its_keys_and_for_nonces_under_way(world):
    draft = world.draft(Visitor())

    pages.purge_page(world.page_id)

    assert world.post(draft).json == {"error": "invalid_key"}
    assert world.read().json == {"error": "invalid_key"}
