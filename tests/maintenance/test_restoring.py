"""Restoring a backup, and copying to another database: all of it or nothing, and never twice."""

import sqlite3
import threading
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import pytest
from support import version_0_7_0
from support.filled_database import fill, read_stored, using
from support.postgres import open_cursor
from support.waiting import wait_for

from embed.db import schema_version
from embed.db.models import Job, Message, Page, Person
from embed.errors import InvalidInput
from embed.maintenance import backups, restoring, rows
from embed.maintenance.backups import Backup, make_backup
from embed.maintenance.restoring import copy_database, restore_backup
from embed.maintenance.rows import PostgresRows, SqliteRows

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

NOW = datetime(2026, 1, 31, tzinfo=UTC)
OTHER = "other@owner.example"


@pytest.fixture
def backup(fresh, tmp_path):
    url, path = fresh("sqlite"), tmp_path / "backup.db"
    fill(url)
    make_backup(url, path)
    return path


@pytest.fixture
def used_url(database_url):
    """A database in use: with an owner, and with what processes wrote."""
    with using(database_url):
        Person.create(email=OTHER, created_at=NOW)
        Job.create(name="prune", due_at=NOW)
    return database_url


@pytest.fixture(autouse=True)
def no_patience(monkeypatch):
    """Nobody is about to disconnect."""
    monkeypatch.setattr(rows, "_WAIT_S", 0.2)


def list_emails(url: str) -> set[str]:
    with using(url):
        return {owner.email for owner in Person.select()}


@contextmanager
def connected(url: str):
    """Hold an idle connection, as a thread of the service does."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as other:
            other.execute("SELECT 1 FROM person")
            yield
    else:
        with open_cursor(url, autocommit=True):
            yield


# Whole or not at all


def test_database_with_rows_is_not_replaced_unasked(backup, used_url):
    before = read_stored(used_url)

    with pytest.raises(InvalidInput, match=r"is not empty.*--replace"):
        restore_backup(backup, used_url)

    assert read_stored(used_url) == before


def test_what_was_there_is_saved_first_and_can_be_restored(backup, used_url, tmp_path, fresh):
    before = read_stored(used_url)

    restored = restore_backup(backup, used_url, kept=tmp_path / "kept.db")

    assert OTHER not in list_emails(used_url)
    assert restored.kept is not None
    back = fresh("sqlite")
    restore_backup(tmp_path / "kept.db", back)
    assert list_emails(back) == {OTHER}
    assert read_stored(back)["person"] == before["person"]


def test_nothing_is_replaced_when_it_cannot_be_saved(backup, used_url, tmp_path):
    before = read_stored(used_url)
    (tmp_path / "kept.db").write_text("mine")

    with pytest.raises(InvalidInput, match="exists already"):
        restore_backup(backup, used_url, kept=tmp_path / "kept.db")
    with pytest.raises(OSError, match="No such file"):
        restore_backup(backup, used_url, kept=tmp_path / "nowhere" / "kept.db")

    assert read_stored(used_url) == before


def test_tables_are_created_in_an_empty_database(backup, empty_database_url):
    restore_backup(backup, empty_database_url)

    with using(empty_database_url):
        assert schema_version.list_missing_migrations() == []
        assert Person.select().count() == 3


def test_failure_midway_leaves_everything_as_it_was(backup, used_url, tmp_path, monkeypatch):
    before = read_stored(used_url)
    copy_table = backups._copy_table

    def copy_or_fail(source, target, name, columns):
        if name == "lease":  # the last one
            raise InvalidInput("enough")
        return copy_table(source, target, name, columns)

    monkeypatch.setattr(backups, "_copy_table", copy_or_fail)
    # Saving what is there goes well.
    monkeypatch.setattr(restoring, "save_rows", lambda rows, path: None)
    with pytest.raises(InvalidInput, match="enough"):
        restore_backup(backup, used_url, kept=tmp_path / "kept.db")

    assert read_stored(used_url) == before
    with using(used_url):  # Postgres' counters, too
        page = create_page(Person.get())
        assert [create_message(page).number for _ in range(2)] == [1, 2]


def create_page(owner: Person) -> Page:
    texts = dict.fromkeys(("token_name", "token_symbol", "token_mint"), "x")
    return Page.create(owner=owner, created_at=NOW, **texts)


def create_message(page: Page) -> Message:
    return Message.create(page=page, type="test", data="{}", created_at=NOW)


@pytest.mark.parametrize("kind", [SqliteRows, PostgresRows])
def test_rows_that_do_not_arrive_are_noticed(backup, fresh, monkeypatch, kind):
    url = fresh("sqlite" if kind is SqliteRows else "postgres")
    before = read_stored(url)
    write = kind.write

    def lose_one(self, table, columns, given):
        write(self, table, columns, list(given)[: 2 if table == "token" else None])

    monkeypatch.setattr(kind, "write", lose_one)
    with pytest.raises(InvalidInput, match="3 rows of token were sent and 2 arrived"):
        restore_backup(backup, url)

    assert read_stored(url) == before


# Others


def test_nothing_is_restored_while_another_program_is_connected(backup, database_url):
    with connected(database_url), pytest.raises(InvalidInput, match="stop the service"):
        restore_backup(backup, database_url)
    assert list_emails(database_url) == set()

    restore_backup(backup, database_url)

    assert len(list_emails(database_url)) == 3


@pytest.fixture
def postgres_of_use(fresh, backup) -> str:
    url = fresh("postgres")
    restore_backup(backup, url)
    return url


def test_backup_that_begins_during_a_restore_waits_and_has_all_rows(
    backup, postgres_of_use, tmp_path, monkeypatch
):
    """On Postgres, tables that were emptied look empty to whoever began to read before."""
    url, made = postgres_of_use, []
    saving = threading.Thread(target=lambda: made.append(make_backup(url, tmp_path / "new.db")))
    fill_tables = restoring._fill

    def fill_and_wait(*arguments):
        sums = fill_tables(*arguments)
        monkeypatch.setattr(rows, "_WAIT_S", 120)
        saving.start()
        wait_for_a_lock_that_is_waited_for(url)
        return sums

    monkeypatch.setattr(restoring, "_fill", fill_and_wait)
    restore_backup(backup, url, kept=tmp_path / "kept.db")
    saving.join(120)

    assert [count_rows(each) for each in made] == [sum(map(len, read_stored(url).values()))]


def count_rows(backup: Backup) -> int:
    return sum(table.rows for table in backup.tables)


def wait_for_a_lock_that_is_waited_for(url: str) -> None:
    waiting = "SELECT 1 FROM pg_locks WHERE NOT granted"
    with open_cursor(url, autocommit=True) as other:
        wait_for(lambda: other.execute(waiting).fetchall())


# Afterwards


def test_new_rows_are_numbered_after_the_restored_ones(backup, database_url):
    restore_backup(backup, database_url)

    with using(database_url):
        highest = max(message.number for message in Message.select())
        assert create_message(Page.select().first()).number == highest + 1


# Other versions of the database itself


def test_database_that_is_behind_or_ahead_is_refused(backup, empty_database_url):
    with using(empty_database_url):
        version_0_7_0.make()
    with pytest.raises(InvalidInput, match="run flask db upgrade"):
        restore_backup(backup, empty_database_url)
    with using(empty_database_url):
        schema_version.upgrade()
        version_0_7_0.record(["9999_x"])
    with pytest.raises(InvalidInput, match=r"newer version .*9999_x"):
        restore_backup(backup, empty_database_url)


# From one database to another


@pytest.mark.parametrize("way", ["sqlite postgres", "postgres sqlite", "sqlite sqlite"])
def test_everything_is_copied_and_the_source_stays(way, fresh):
    first, second = map(fresh, way.split())
    fill(first)
    before = read_stored(first)

    sums = copy_database(first, second)

    assert read_stored(first) == before
    after = read_stored(second)
    assert after["session"] == []
    for table in before.keys() - {"lease", "receiver", "session"}:
        assert after[table] == before[table], table
    assert {each.table: each.rows for each in sums} == dict.fromkeys(before, 3)


def test_copy_needs_an_empty_target_and_another_one(fresh, used_url):
    before = read_stored(used_url)

    with pytest.raises(InvalidInput, match="The other database is not empty"):
        copy_database(fresh("sqlite"), used_url)
    with pytest.raises(InvalidInput, match="name another"):
        copy_database(used_url, used_url)

    assert read_stored(used_url) == before


def test_copy_upgrades_a_source_of_0_7_0(empty_database_url, fresh):
    target = fresh("sqlite")
    with using(empty_database_url):
        version_0_7_0.make()

    copy_database(empty_database_url, target)

    for url in (empty_database_url, target):
        with using(url):
            assert schema_version.list_applied_migrations() == schema_version.list_migrations()
    assert read_stored(target)["wallet"] == read_stored(empty_database_url)["wallet"] != []


@pytest.mark.parametrize("place", [0, 1])
def test_copy_is_refused_while_either_database_is_in_use(fresh, database_url, place):
    urls = [fresh("sqlite"), database_url]
    with connected(urls[place]), pytest.raises(InvalidInput, match="stop the service"):
        copy_database(*urls)

    copy_database(*urls)


def test_copy_of_text_that_the_other_database_cannot_hold_leaves_it_empty(fresh, make_postgres):
    first, second = fresh("sqlite"), make_postgres()
    with using(first):
        Person.create(email=OTHER, created_at=NOW)
        Person.create(email="a\0b", created_at=NOW)

    with pytest.raises(InvalidInput, match=r"cannot be written.*NUL"):
        copy_database(first, second)

    assert list_emails(second) == set()
