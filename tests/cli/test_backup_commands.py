"""flask backup, restore, copy-to and prune: what they say, and how they refuse."""

import errno
import json
import os
import re
import shutil
import time
from datetime import datetime, timedelta

import pytest
from support.filled_database import ROWS, fill, using
from support.remote import make_environ, run_here

from embed.db.models import MODELS
from embed.db.work_status import find_backup_at
from embed.domain import times

pytestmark = pytest.mark.slow

COUNT = ROWS * len(MODELS)


@pytest.fixture
def filled(make_sqlite):
    """The settings of an installation with rows in every table."""
    url = make_sqlite()
    fill(url)
    return make_environ(url)


def refuse(*arguments: str, environ) -> str:
    result = run_here(*arguments, environ=environ)
    assert result.exit_code in (1, 2), result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


def tell(*arguments: str, environ) -> str:
    result = run_here(*arguments, environ=environ)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def test_people_are_told_what_was_saved_and_what_else_to_keep(filled, make_sqlite, tmp_path):
    backup, empty = str(tmp_path / "backup.db"), make_environ(make_sqlite())

    saved = tell("backup", backup, environ=filled)
    restored = tell("restore", backup, environ=empty)
    replaced = tell(
        "restore", backup, "--replace", str(tmp_path / "kept.db"), "--yes", environ=empty
    )

    assert f"Saved {COUNT} rows in {backup}, " in saved
    assert f"Read again, each of its {len(MODELS)} tables has the rows of the database." in saved
    assert "SECRET_KEY is not in it" in saved
    assert restored == f"Restored and compared {COUNT} rows. Start the service.\n"
    assert f"Saved what the database held in {tmp_path / 'kept.db'}." in replaced


def test_backup_is_checked_without_a_database(filled, tmp_path):
    backup = tmp_path / "backup.db"
    saved = json.loads(tell("backup", str(backup), "--json", environ=filled))
    nowhere = make_environ("postgresql://nobody@127.0.0.1:1/none")

    said = tell("restore", "--check", str(backup), environ=nowhere)
    checked = json.loads(tell("restore", str(backup), "--check", "--json", environ=nowhere))

    assert said.startswith(f"{backup} can be restored: all {COUNT} rows of {len(MODELS)} tables")
    assert checked["file"] == str(backup)
    assert {each["table"]: each for each in checked["tables"]} == {
        each["table"]: each for each in saved["tables"]
    }
    backup.write_bytes(backup.read_bytes()[:-4096])
    short = run_here("restore", "--check", str(backup), environ=nowhere)
    assert (short.exit_code, short.stdout) == (1, "")
    assert "cannot be read: database disk image is malformed" in short.stderr


@pytest.fixture
def folder(filled, tmp_path):
    """A folder with backups of four days, and what else may be there."""
    made = tmp_path / "backups"
    made.mkdir()
    first = made / "first.db"
    tell("backup", str(first), environ=filled)
    for day in range(1, 5):
        shutil.copy(first, made / f"embed-2026-01-0{day}T030000Z.db")
    (made / "embed-2026-01-01.txt").touch()
    return made


def test_backup_in_a_folder_is_named_after_the_time_and_the_newest_are_kept(filled, folder):
    before = {path.name for path in folder.iterdir()}

    told = tell("backup", str(folder), "--keep", "3", environ=filled)

    (new,) = {path.name for path in folder.iterdir()} - before
    assert re.fullmatch(r"embed-20\d\d-\d\d-\d\dT\d{6}Z\.db", new)
    older = [f"embed-2026-01-0{day}T030000Z.db" for day in (1, 2)]
    assert before - {path.name for path in folder.iterdir()} == set(older)
    assert f" rows in {folder / new}, " in told
    assert [f"Deleted {folder / name}." in told for name in older] == [True, True]


def test_what_a_killed_backup_left_is_deleted_after_a_day(filled, folder):
    old, running = (folder / f".embed-2026-01-0{day}T030000Z.db.x1.part" for day in (1, 2))
    for path in (old, running):
        path.mkdir()
        (path / "embed.db").touch()
    os.utime(old, (time.time() - 90_000,) * 2)

    told = tell("backup", str(folder), "--keep", "9", environ=filled)

    assert f"Deleted {old}." in told
    assert (old.exists(), running.exists()) == (False, True)


def test_backup_that_fails_deletes_nothing_and_is_not_reported(filled, folder, monkeypatch):
    def fail(*_) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("embed.maintenance.backups.copy_tables", fail)
    before, (names) = read_backup_at(filled), sorted(folder.iterdir())

    assert "No space left" in refuse("backup", str(folder), "--keep", "1", environ=filled)
    assert (read_backup_at(filled), sorted(folder.iterdir())) == (before, names)


def read_backup_at(environ) -> datetime | None:
    with using(environ["DATABASE_URL"]):
        return find_backup_at()


def test_database_knows_when_it_was_saved_last(filled, tmp_path):
    assert read_backup_at(filled) is None
    for name in ("first.db", "second.db"):
        began = times.now()
        tell("backup", str(tmp_path / name), environ=filled)
        assert began - timedelta(milliseconds=1) <= read_backup_at(filled) <= times.now()
    jobs = json.loads(tell("worker", "status", "--json", environ=filled))["jobs"]
    assert "backup" not in [job["name"] for job in jobs]


def test_mistakes_are_one_line(filled, make_sqlite, tmp_path):
    backup, letter = tmp_path / "backup.db", tmp_path / "letter.txt"
    letter.write_text("Dear friend,")
    tell("backup", str(backup), environ=filled)

    assert "exists already" in refuse("backup", str(backup), environ=filled)
    assert "--keep needs a folder" in refuse("backup", "new.db", "--keep", "2", environ=filled)
    assert "0 is not in the range" in refuse("backup", ".", "--keep", "0", environ=filled)
    assert "No such file" in refuse("backup", str(tmp_path / "no" / "b.db"), environ=filled)
    assert "add --yes" in refuse("restore", str(backup), "--replace", "kept.db", environ=filled)
    assert "letter.txt" in refuse("restore", str(letter), environ=filled)
    assert "URL must look like" in refuse("copy-to", "mysql://host/db", environ=filled)
    url = "postgresql://embed:hunter2@127.0.0.1:1/embed"
    assert "hunter2" not in refuse("copy-to", url, environ=filled)
    assert "hunter2" not in refuse("backup", "new.db", environ=make_environ(url))
    away = make_environ(f"sqlite:///{tmp_path / 'away.db'}")
    assert "does not exist" in refuse("backup", str(tmp_path / "new.db"), environ=away)
