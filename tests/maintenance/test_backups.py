"""Backups: what is in the file, and which files are refused."""

import shutil
import sqlite3
import stat
from contextlib import closing
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import version_0_7_0
from support.filled_database import ROWS, fill, read_stored, using

from embed.db import schema_version
from embed.db.connection import db
from embed.db.models import MODELS, Page
from embed.errors import InvalidInput
from embed.maintenance import backups
from embed.maintenance.backups import check_backup, describe_newest, make_backup
from embed.maintenance.restoring import check_restorable, restore_backup
from embed.maintenance.rows import SqliteRows

pytestmark = pytest.mark.slow


def check(path: Path) -> list[str]:
    file = SqliteRows(path)
    with file.snapshot():
        return check_backup(file)


@pytest.fixture
def backup(filled_url, tmp_path) -> Path:
    path = tmp_path / "backup.db"
    make_backup(filled_url, path)
    return path


@pytest.mark.parametrize("way", ["sqlite postgres sqlite", "postgres sqlite postgres"])
def test_rows_come_back_as_they_were_through_either_kind_of_database(way, fresh, tmp_path):
    first, *others = [fresh(kind) for kind in way.split()]
    fill(first)
    stored = read_stored(first)
    assert all(len(rows) == ROWS for rows in stored.values())
    last = first
    for number, url in enumerate(others):
        path = tmp_path / f"{number}.db"
        make_backup(last, path)
        restore_backup(path, url)
        last = url

    # No process of that time lives, none holds a lease, and everyone signs in again.
    assert read_stored(last) == forget_processes(stored)


def forget_processes(stored):
    receiver = next(model for model in MODELS if model._meta.table_name == "receiver")
    claimed = [field.name for field in receiver._meta.sorted_fields].index("claimed_until")
    rows = [(*row[:claimed], None, *row[claimed + 1 :]) for row in stored["receiver"]]
    return stored | {"lease": [], "session": [], "receiver": sorted(rows, key=repr)}


def test_backup_is_one_plain_sqlite_file_for_its_user_alone(backup, filled_url):
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    left = {path.name for path in backup.parent.iterdir() if path.name.startswith((".", "backup"))}
    assert left == {"backup.db"}
    with closing(sqlite3.connect(f"file:{backup}?mode=ro&immutable=1", uri=True)) as reader:
        assert reader.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert reader.execute("PRAGMA foreign_key_check").fetchall() == []
        assert reader.execute("PRAGMA journal_mode").fetchall() == [("delete",)]
        amounts = {amount for (amount,) in reader.execute("SELECT amount FROM balance")}
    assert "18446744073709551615" in amounts


@pytest.mark.parametrize("kind", ["file", "link"])
def test_existing_file_is_not_overwritten(filled_url, tmp_path, kind):
    path = tmp_path / "backup.db"
    path.write_text("mine") if kind == "file" else path.symlink_to(tmp_path / "nowhere")

    with pytest.raises(InvalidInput, match="exists already"):
        make_backup(filled_url, path)

    assert path.is_symlink() or path.read_text() == "mine"
    assert not list(tmp_path.glob(".backup*"))


# Damaged files, and those of others


@pytest.fixture(scope="module")
def intact(make_sqlite, tmp_path_factory) -> bytes:
    url, path = make_sqlite(), tmp_path_factory.mktemp("intact") / "backup.db"
    fill(url)
    make_backup(url, path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def intact_rows(intact, tmp_path_factory) -> dict[str, list[object]]:
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    path.write_bytes(intact)
    return read_file(path)


@settings(max_examples=200)
@given(number=st.integers(0, 2**32 - 1))
def test_flipped_bit_is_noticed_or_changes_no_row(number, intact, intact_rows, tmp_path):
    place, bit = divmod(number % (8 * len(intact)), 8)
    damaged = tmp_path / "damaged.db"
    flipped = bytes([intact[place] ^ (1 << bit)])
    damaged.write_bytes(intact[:place] + flipped + intact[place + 1 :])
    try:
        check(damaged)
        rows = read_file(damaged)
    except InvalidInput:
        return
    assert rows == intact_rows


def read_file(path: Path) -> dict[str, list[object]]:
    file = SqliteRows(path)
    with file.snapshot():
        schema = describe_newest()
        return {table: sorted(file.read(table, names), key=repr) for table, names in schema.items()}


def test_backup_that_reads_otherwise_than_it_was_written_is_not_kept(
    filled_url, tmp_path, monkeypatch
):
    fill = backups._fill

    def fill_a_bad_disk(part, source):
        sums = fill(part, source)
        with SqliteRows(part).alone() as rows:
            rows.change("UPDATE page SET version = version + 1")
        return sums

    monkeypatch.setattr(backups, "_fill", fill_a_bad_disk)

    with pytest.raises(InvalidInput, match="are not those that were saved"):
        backups.make_backup(filled_url, tmp_path / "bad.db")
    assert list(tmp_path.glob("*bad.db*")) == []


NO_BACKUP = {
    "empty": (lambda path, intact: path.write_bytes(b""), "file"),
    "a letter": (lambda path, intact: path.write_bytes(b"to a friend\n" * 999), "file"),
    "truncated late": (lambda path, intact: path.write_bytes(intact[:-500]), "file"),
    "missing": (lambda path, intact: None, "file does not exist"),
    "a folder": (lambda path, intact: path.mkdir(), "file is not a file"),
}


@pytest.mark.parametrize("kind", NO_BACKUP)
def test_what_is_no_backup_is_refused(intact, tmp_path, kind):
    write, said = NO_BACKUP[kind]
    write(tmp_path / "file", intact)

    with pytest.raises(InvalidInput, match=said):
        check(tmp_path / "file")


def test_database_itself_is_no_backup(make_sqlite):
    with pytest.raises(InvalidInput, match="was not made by flask backup"):
        check(Path(make_sqlite().removeprefix("sqlite:///")))


# Versions


def test_backup_of_a_newer_version_is_refused(backup):
    with closing(sqlite3.connect(backup)) as writer, writer:
        writer.execute("INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '')")

    with pytest.raises(InvalidInput, match=r"newer version .*\(9999_later\)"):
        check(backup)


@pytest.fixture
def old(empty_database_url, tmp_path) -> Path:
    """A backup of version 0.7.0.

    A copy of its file has what makes a backup: its checksums are those of its own rows.
    """
    with using(empty_database_url):
        version_0_7_0.make()
    path = tmp_path / "old.db"
    shutil.copy(empty_database_url.removeprefix("sqlite:///"), path)
    with SqliteRows(path).alone() as rows:
        rows.change(f"PRAGMA application_id = {backups._APPLICATION_ID}")
        sums = backups.sum_tables(rows, backups.read_saved_schema(rows))
        rows.change(f"CREATE TABLE {backups._SUMS} ({', '.join(backups._SUM_COLUMNS)})")
        rows.write(backups._SUMS, backups._SUM_COLUMNS, map(astuple, sums))
    return path


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_backup_of_0_7_0_is_upgraded(old, fresh, kind):
    target, content = fresh(kind), old.read_bytes()

    sums = restore_backup(old, target).tables

    assert check_restorable(old) == sums
    assert [each.table for each in sums if not each.rows] == ["logo"]  # which is new
    with using(target):
        assert schema_version.list_applied_migrations() == schema_version.list_migrations()
        assert Page.get_by_id(version_0_7_0.PAGE_ID).public_title == "Größe 我们"
    assert old.read_bytes() == content


def test_backup_of_0_6_0_is_refused_with_the_commit_to_go_through(old, fresh):
    with using(f"sqlite:///{old}"):
        version_0_7_0.record(version_0_7_0.MIGRATIONS_OF_0_6_0)

    for use in (check_restorable, lambda path: restore_backup(path, fresh("sqlite"))):
        with pytest.raises(InvalidInput, match=rf"old\.db cannot .* commit {version_0_7_0.COMMIT}"):
            use(old)


@pytest.mark.databases("sqlite", "postgres")
def test_database_without_tables_has_nothing_to_save(empty_database_url, tmp_path):
    with using(empty_database_url):
        db.connect()  # which creates SQLite's file
    with pytest.raises(InvalidInput, match="no tables of this service"):
        make_backup(empty_database_url, tmp_path / "backup.db")

    assert not [path for path in tmp_path.iterdir() if "backup" in path.name]
