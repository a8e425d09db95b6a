"""A restore that is killed: the database is as it was, and the next restore goes well."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.filled_database import ROWS, fill, read_stored, using
from support.remote import make_environ, run_here
from support.servers import PROJECT_DIR, clean_environ

from embed.db.models import Person
from embed.domain import times
from embed.maintenance.backups import make_backup

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


def kill_at(point: str, *command: str, environ: dict[str, str]) -> int:
    script = Path(__file__).with_name("restore_killed_at.py")
    return subprocess.run(
        [sys.executable, script, point, *command],
        cwd=PROJECT_DIR,
        env=clean_environ() | environ | {"PYTHONPATH": str(PROJECT_DIR)},
        check=False,
    ).returncode


@pytest.mark.parametrize("point", ["submission", "COMMIT"])
def test_database_is_as_it_was_after_kill_9(point, database_url, make_sqlite, tmp_path):
    environ, backup, source = make_environ(database_url), tmp_path / "backup.db", make_sqlite()
    fill(source)
    make_backup(source, backup)
    with using(database_url):
        Person.create(email="here@owner.example", created_at=times.now())
    before = read_stored(database_url)
    replace = ("restore", str(backup), "--yes", "--replace")

    killed = kill_at(point, *replace, str(tmp_path / "first.db"), environ=environ)

    assert killed == -signal.SIGKILL
    assert (tmp_path / "first.db").exists()  # what was there is saved before it is replaced
    assert read_stored(database_url) == before
    again = run_here(*replace, str(tmp_path / "second.db"), environ=environ)
    assert again.exit_code == 0, again.output
    assert len(read_stored(database_url)["submission"]) == ROWS
