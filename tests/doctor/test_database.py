"""What flask doctor finds in the database and of the background work, on SQLite and Postgres."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from support.postgres import open_cursor
from support.world import RANDOM_KEY, USDC

from embed import pages
from embed.db import connection
from embed.db.connection import db
from embed.doctor.database import check_background, check_database, open_for_reading
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


def examine(url: str, **environ: str) -> dict[str, Finding]:
    environ = {"DATABASE_URL": url, "SECRET_KEY": RANDOM_KEY} | environ
    found = list(check_database(Installation.from_environ(environ)))
    if db.obj is not None:
        db.close()
    return {each.code: each for each in found}


def test_nothing_is_wrong_with_a_database_of_this_version_and_no_file_is_made(database_url):
    assert examine(database_url) == {}

    if database_url.startswith("sqlite"):
        folder = Path(database_url.removeprefix("sqlite:///")).parent
        assert [path.name for path in folder.iterdir()] == ["embed.db"]


def test_missing_database_is_found_and_not_made(tmp_path):
    assert set(examine(f"sqlite:///{tmp_path}/folder/embed.db")) == {"database_missing"}
    assert list(tmp_path.iterdir()) == []


def test_database_without_tables_is_found(empty_database_url):
    if empty_database_url.startswith("sqlite"):
        Path(empty_database_url.removeprefix("sqlite:///")).touch()

    found = examine(empty_database_url)

    assert set(found) == {"database_behind"}
    assert "flask db upgrade" in found["database_behind"].remedy


def test_database_of_another_version_is_found(database_url):
    connection.open_database(database_url)
    db.execute_sql("INSERT INTO schema_migration (name, applied) VALUES ('9999_x', '2026-01-01')")
    db.close()

    found = examine(database_url)

    assert set(found) == {"database_of_another_version"}
    assert "9999_x" in found["database_of_another_version"].problem


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
    assert examine(database_url, SOLANA_RPC_URL="https://rpc.example") == {}
    assert examine(database_url, SOLANA_RPC_URL="no address") == {}  # which is a finding itself


def test_statements_of_postgres_are_bounded(postgres_database_url):
    open_for_reading(f"{postgres_database_url}&options=-c%20search_path%3Dpublic,pg_temp")

    assert db.execute_sql("SHOW statement_timeout").fetchone() == ("5s",)
    assert db.execute_sql("SHOW search_path").fetchone() == ("public,pg_temp",)
    with open_cursor(postgres_database_url) as other:
        assert other.execute("SHOW statement_timeout").fetchone() == ("0",)


# Background work

JOBS = {"listings": "It broke.", "prune": None}


def test_background_work_that_nobody_does_is_found(database_url):
    connection.open_database(database_url)

    assert [each.code for each in check_background(times.now)] == ["no_worker"]


def test_job_that_fails_is_found(monkeypatch):
    jobs = [SimpleNamespace(name=name, failure=why) for name, why in JOBS.items()]
    status = SimpleNamespace(is_working=True, jobs=jobs)
    monkeypatch.setattr("embed.doctor.database.read_work_status", lambda _: status)

    (found,) = check_background(times.now)

    assert found.code == "job_failing"
    assert "listings fails: It broke." in found.problem


def test_background_work_is_not_checked_without_a_database(tmp_path):
    open_for_reading(f"sqlite:///{tmp_path}/none.db")

    with pytest.raises(NotChecked):
        list(check_background(times.now))
