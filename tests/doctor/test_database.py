"""What flask doctor finds in the database, on SQLite and on Postgres."""

import os
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from support import version_0_6_0
from support.passkey_device import store_passkey
from support.servers import PROJECT_DIR
from support.world import RANDOM_KEY, USDC

from embed import pages
from embed.db import connection
from embed.db.connection import db
from embed.db.models import MODELS, Job, WorkerProcess
from embed.doctor import database
from embed.doctor.database import check_database, open_for_reading
from embed.doctor.findings import Finding, NotChecked
from embed.doctor.variables import Installation
from embed.domain import times
from embed.people import accounts

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


@pytest.fixture(autouse=True)
def _close():
    yield
    if db.obj is not None:
        db.close()


def examine(url: str, now=None, **environ: str) -> dict[str, Finding]:
    installation = Installation.from_environ(
        {"DATABASE_URL": url, "SECRET_KEY": RANDOM_KEY} | environ
    )
    found = list(check_database(installation, times.now if now is None else lambda: now))
    if db.obj is not None:
        db.close()
    return {each.code: each for each in found}


def change(url: str, statement: str) -> None:
    connection.open_database(url)
    db.execute_sql(statement)
    db.close()


def list_files(url: str) -> list[str]:
    return sorted(path.name for path in Path(url.removeprefix("sqlite:///")).parent.iterdir())


def test_nothing_is_wrong_with_a_database_of_this_version(database_url):
    assert examine(database_url) == {}


def test_missing_database_is_found_and_not_made(tmp_path):
    found = examine(f"sqlite:///{tmp_path}/folder/embed.db")

    assert set(found) == {"database_missing"}
    assert list(tmp_path.iterdir()) == []


def test_database_without_tables_is_found(empty_database_url):
    if empty_database_url.startswith("sqlite"):
        Path(empty_database_url.removeprefix("sqlite:///")).touch()

    found = examine(empty_database_url)

    assert set(found) == {"database_behind"}
    assert "flask db upgrade" in found["database_behind"].remedy


def test_minimum_that_nobody_can_meet_without_an_endpoint_is_found(database_url):
    connection.open_database(database_url)
    now = times.now()
    owner = accounts.get_installation_owner(now)
    token = {"token_name": "USD Coin", "token_symbol": "USDC", "token_mint": USDC}
    free, gated, deleted = (
        pages.create_page(owner, token | {"min_balance": minimum}, now).id for minimum in (0, 5, 5)
    )
    pages.delete_page(deleted, now)
    db.close()

    found = examine(database_url)["minimum_without_endpoint"]

    assert gated in found.problem
    assert free not in found.problem
    assert deleted not in found.problem
    assert "SOLANA_RPC_URL" in found.remedy
    assert examine(database_url, SOLANA_RPC_URL="https://rpc.example") == {}
    assert examine(database_url, SOLANA_RPC_URL="no address") == {}  # which is a finding itself


def test_passkeys_of_another_host_are_found(database_url):
    connection.open_database(database_url)
    now = times.now()
    for host in ("former.example", "www.former.example", "embed.example"):
        store_passkey(accounts.get_installation_owner(now), now, host=host, credential_id=host)
    db.close()

    found = examine(database_url, PUBLIC_URL="https://embed.example:8443")

    assert set(found) == {"passkeys_of_another_host"}
    problem = found["passkeys_of_another_host"].problem
    assert "2 passkeys" in problem
    assert "former.example, www.former.example" in problem
    assert examine(database_url) == {}  # the host is not known


def test_database_that_lacks_an_upgrade_is_found(database_url):
    connection.open_database(database_url)
    db.drop_tables(MODELS)
    db.execute_sql("DROP TABLE schema_migration")
    version_0_6_0.make()
    db.close()

    found = examine(database_url)

    assert set(found) == {"database_behind"}
    assert "0002_from_0_6_0" in found["database_behind"].problem


def test_database_of_a_newer_version_is_found(database_url):
    change(
        database_url,
        "INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2026-01-01')",
    )

    found = examine(database_url)

    assert set(found) == {"database_of_another_version"}
    assert "9999_later" in found["database_of_another_version"].problem


def test_database_that_refuses_connections_is_found_without_its_password(tmp_path):
    found = examine(f"postgresql://embed:hush-hush@/embed?host={tmp_path}")

    assert set(found) == {"database_unreachable"}
    assert "hush" not in found["database_unreachable"].problem


def test_file_that_is_no_database_is_found(tmp_path):
    path = tmp_path / "embed.db"
    path.write_text("Dear diary, " * 1000)

    found = examine(f"sqlite:///{path}")

    assert set(found) == {"database_unreachable"}
    assert str(path) in found["database_unreachable"].remedy


# The clock


@pytest.mark.parametrize(
    ("ahead", "codes"), [(timedelta(seconds=1), set()), (timedelta(minutes=2), {"clock_differs"})]
)
def test_times_of_the_future_are_found(database_url, ahead, codes):
    now = times.now()
    connection.open_database(database_url)
    Job.create(name="feed", started_at=now + ahead)
    db.close()

    assert set(examine(database_url, now)) == codes


@pytest.mark.parametrize("hours", [-1, 1])
def test_clock_that_differs_from_the_one_of_postgres_is_found(postgres_database_url, hours):
    found = examine(postgres_database_url, times.now() + timedelta(hours=hours))

    assert set(found) == {"clock_differs"}
    assert "Postgres says" in found["clock_differs"].problem


# Processes


@pytest.mark.parametrize(
    ("kind", "codes"), [("gunicorn", {"limits_not_shared"}), ("worker", set())]
)
def test_several_servers_with_limits_in_memory_are_found(make_sqlite, kind, codes):
    url, now = make_sqlite(), times.now()
    connection.open_database(url)
    for process_id, seen_at in enumerate((now, now, now - timedelta(minutes=1))):
        WorkerProcess.create(
            kind=kind, host="a", process_id=process_id, started_at=seen_at, seen_at=seen_at
        )
    db.close()

    found = examine(url, now)

    assert set(found) == codes
    assert all("2 processes of gunicorn" in each.problem for each in found.values())
    assert examine(url, now, RATELIMIT_STORAGE_URI="redis://127.0.0.1") == {}


# Damage


def damage(path: Path) -> None:
    """Overwrite a page in the middle of a table."""
    with sqlite3.connect(path) as opened:
        opened.execute("CREATE TABLE filler (text TEXT)")
        opened.executemany("INSERT INTO filler VALUES (?)", [("x" * 1000,)] * 1000)
    opened.close()
    with path.open("r+b") as file:
        file.seek(path.stat().st_size - 200 * 4096)
        file.write(os.urandom(8 * 4096))


def test_damaged_file_is_found(make_sqlite):
    url = make_sqlite()
    damage(Path(url.removeprefix("sqlite:///")))

    assert set(examine(url)) == {"database_damaged"}


def test_file_that_takes_too_long_is_left(make_sqlite, monkeypatch):
    url = make_sqlite()
    path = Path(url.removeprefix("sqlite:///"))
    with sqlite3.connect(path) as opened:
        opened.execute("CREATE TABLE filler (text TEXT)")
        opened.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)"
            " INSERT INTO filler SELECT hex(randomblob(50)) FROM n"
        )
    opened.close()
    monkeypatch.setattr(database, "_INTEGRITY_S", 0.0)

    with pytest.raises(NotChecked, match="too large"):
        examine(url)


# Reading


def test_reading_makes_no_files(make_sqlite):
    url = make_sqlite()

    assert examine(url) == {}
    assert list_files(url) == ["embed.db"]


WRITE = """
import sqlite3, sys
opened = sqlite3.connect(sys.argv[1], isolation_level=None)
opened.execute("PRAGMA journal_mode = wal")
opened.execute("INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2026-01-01')")
print("written", flush=True)
sys.stdin.read()
"""


def test_what_another_process_has_written_last_is_read(make_sqlite):
    url = make_sqlite()
    with subprocess.Popen(
        [sys.executable, "-c", WRITE, url.removeprefix("sqlite:///")],
        cwd=PROJECT_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout.readline() == "written\n"
        found = examine(url)
        files = list_files(url)
        writer.stdin.close()

    assert set(found) == {"database_of_another_version"}
    assert files == ["embed.db", "embed.db-shm", "embed.db-wal"]


def test_database_that_is_read_cannot_be_written(database_url):
    open_for_reading(database_url)

    with pytest.raises(Exception, match=r"read-?only"):
        db.execute_sql("DROP TABLE schema_migration")


def test_statements_of_postgres_are_bounded(postgres_database_url):
    open_for_reading(f"{postgres_database_url}&options=-c%20search_path%3Dpublic,pg_temp")

    assert db.execute_sql("SHOW statement_timeout").fetchone() == ("5s",)
    assert db.execute_sql("SHOW search_path").fetchone() == ("public,pg_temp",)
    with psycopg.connect(postgres_database_url) as other:
        assert other.execute("SHOW statement_timeout").fetchone() == ("0",)
