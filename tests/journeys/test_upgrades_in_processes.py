"""Upgrades by real processes: killed in the middle, two at once, and of other versions."""

import subprocess
import sys
from contextlib import closing

import pytest
import requests
from support import version_0_7_0
from support.postgres import open_cursor
from support.remote import make_environ, run_here
from support.servers import (
    PROJECT_DIR,
    clean_environ,
    run_flask,
    run_gunicorn,
)
from support.version_0_7_0 import dump
from support.waiting import wait_for

from embed.db import connection, schema_version
from embed.db.connection import db
from embed.domain.identifiers import make_id

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

NEWER = "9999_of_a_later_version"

TIMEOUT_S = 240  # for what takes a second where nothing else runs

# Upgrades with one more migration, which changes a table, says so and then waits.
HALF_AN_UPGRADE = """
import shutil, sys
from pathlib import Path
from embed.db import connection, schema_version

url, folder = sys.argv[1], Path(sys.argv[2])
for migration in schema_version.MIGRATIONS_DIR.glob("*.py"):
    shutil.copy(migration, folder)
(folder / "9000_slow.py").write_text(
    "import sys\\n"
    "def up(migrator, db):\\n"
    "    db.execute_sql('DELETE FROM tag')\\n"
    "    db.execute_sql('ALTER TABLE page ADD COLUMN half INTEGER')\\n"
    "    print('in the middle', flush=True)\\n"
    "    sys.stdin.read()\\n"
)
schema_version.MIGRATIONS_DIR = folder
connection.open_database(url)
schema_version.upgrade()
"""


@pytest.fixture
def old_url(empty_database_url):
    """A filled database of version 0.7.0."""
    connection.open_database(empty_database_url)
    version_0_7_0.make()
    db.close()
    yield empty_database_url
    db.close()


def test_upgrade_that_is_killed_in_the_middle_has_changed_nothing(old_url, tmp_path):
    connection.open_database(old_url)
    rows, missing = dump(), schema_version.list_missing_migrations()
    db.close()
    assert missing == schema_version.list_migrations()

    command = [sys.executable, "-c", HALF_AN_UPGRADE, old_url, tmp_path]
    with subprocess.Popen(
        command,
        cwd=PROJECT_DIR,
        env=clean_environ(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == b"in the middle\n"
        process.kill()

    assert dump() == rows
    assert schema_version.list_missing_migrations() == missing
    assert schema_version.upgrade() == missing
    assert dump() == rows


@pytest.mark.databases("postgres")
def test_upgrade_that_is_not_allowed_says_why_and_what_to_do(old_url):
    role = f"limited_{make_id().lower()}"
    environ = make_environ(old_url.replace("embed@", f"{role}@", 1))
    told = {
        "permission denied for schema public": "isn't allowed to create tables in the schema",
        "must be owner of": "isn't allowed to change its",
    }
    with open_cursor(old_url, autocommit=True) as owner:
        owner.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        owner.execute(f"CREATE ROLE {role} LOGIN")
        rights = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"
        owner.execute(f"GRANT {rights} TO {role}")
        for reason, found in told.items():
            (line,) = run_here("db", "upgrade", environ=environ).stderr.splitlines()
            assert line.startswith("Error: The database refused this: ")
            assert reason in line
            assert "The role in DATABASE_URL must" in line
            doctor = run_flask("doctor", environ=environ, check=False).stdout
            assert f"The role {role} {found}" in doctor
            assert f"GRANT CREATE ON SCHEMA public TO {role}" in doctor
            owner.execute(f"GRANT CREATE ON SCHEMA public TO {role}")


# Databases of other versions


def mark_newer(url: str) -> None:
    """Leave the sign that a later version leaves in a database."""
    connection.open_database(url)
    with closing(db):
        db.execute_sql(
            f"INSERT INTO schema_migration (name, applied) VALUES ({db.param}, {db.param})",  # noqa: S608 -- marks
            (NEWER, "2027-01-01 00:00:00"),
        )


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize(
    "command",
    [
        ["gunicorn", "app:app", "--bind", "127.0.0.1:0"],
        ["flask", "worker"],
        ["flask", "db", "upgrade"],
    ],
)
def test_server_worker_and_upgrade_refuse_a_database_that_they_do_not_know(database_url, command):
    mark_newer(database_url)

    run = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=PROJECT_DIR,
        env=clean_environ() | make_environ(database_url),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT_S,
    )

    assert run.returncode != 0
    sentence = f"The database was upgraded by a newer version of this service ({NEWER})."
    assert run.stderr.count(sentence) == 1, run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.databases("sqlite")
def test_server_that_runs_while_the_database_becomes_newer_is_not_ready(database_url):
    """It goes on serving, so that several machines can be upgraded one after the other."""
    with run_gunicorn(make_environ(database_url)) as server:
        wait_until_ready(server.url, 200)

        mark_newer(database_url)

        wait_until_ready(server.url, 503)
        assert requests.get(f"{server.url}/healthz", timeout=30).status_code == 200


def wait_until_ready(url: str, status: int) -> None:
    wait_for(lambda: requests.get(f"{url}/readyz", timeout=30).status_code == status)
