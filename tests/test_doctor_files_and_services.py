"""What flask doctor finds in the files, the database and at PUBLIC_URL."""

import os
import shutil
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
from support.servers import find_free_port
from support.world import RANDOM_KEY, USDC, change_at
from werkzeug.serving import make_server

from embed import pages
from embed.db import connection, work_status
from embed.db.connection import db
from embed.doctor import (
    Finding,
    check_database,
    check_files,
    check_public_address,
    check_settings,
)
from embed.domain import times
from embed.people import accounts
from embed.settings import Settings

ME = os.geteuid()
SOMEBODY = 54_321
on_both_databases = pytest.mark.databases("sqlite", "postgres")


# Files


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with all files, as the first start makes them."""
    folder = tmp_path / "instance"
    folder.mkdir(mode=0o755)
    for name in ("embed.db", "embed.db-wal", "embed.db-shm", "secret_key"):
        (folder / name).touch(mode=0o600)
    return folder


def find_in(folder: Path, user_id: int = ME) -> list[tuple[str, str]]:
    """Return code and remedy of each finding."""
    settings = Settings.from_environ({"INSTANCE_DIR": str(folder)})
    return [(each.code, each.remedy) for each in check_files(settings, user_id)]


def test_nothing_is_wrong_with_files_that_the_service_made_or_will_make(folder, tmp_path):
    assert find_in(folder) == []
    assert find_in(tmp_path / "none") == []
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.parametrize("name", ["embed.db-wal", "secret_key"])
def test_file_that_others_may_read_is_found(folder, name):
    (folder / name).chmod(0o640)
    assert find_in(folder) == [("file_exposed", f"chmod 600 {folder / name}")]

    folder.chmod(0o700)  # now they do not get there
    assert find_in(folder) == []


def test_folder_in_which_others_may_write_is_found(folder):
    folder.chmod(0o775)

    assert find_in(folder) == [("file_exposed", f"chmod 700 {folder}")]


@pytest.mark.skipif(ME != 0, reason="only root may give files away")
def test_file_that_root_made_for_another_users_service_is_found(folder):
    for path in (folder, *folder.iterdir()):
        os.chown(path, SOMEBODY, SOMEBODY)
    assert find_in(folder) == []

    os.chown(folder / "embed.db-wal", 0, 0)
    ((code, remedy),) = find_in(folder)
    assert code == "file_not_writable"
    assert remedy.startswith(f"chown {SOMEBODY} {folder / 'embed.db-wal'};")


def test_folder_that_this_user_may_not_enter_is_found():
    with tempfile.TemporaryDirectory() as outer:
        Path(outer).chmod(0o755)
        folder = Path(outer) / "instance"
        folder.mkdir(mode=0o000)
        settings = Settings.from_environ({"INSTANCE_DIR": str(folder)})
        if ME == 0:
            os.seteuid(SOMEBODY)
        try:
            found = find_in(folder, SOMEBODY)
            keys = list(check_settings(settings))
            unreachable, _ = check_database(settings, times.now)
        finally:
            os.seteuid(ME)
        folder.chmod(0o700)

    assert [code for code, _ in found] == ["file_not_writable"]
    assert keys == []
    assert unreachable.code == "database_unreachable"
    assert "Permission denied" in unreachable.problem


def test_disk_that_is_nearly_full_is_found(folder, monkeypatch):
    def find_with(free: int) -> list[str]:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
        return [code for code, _ in find_in(folder)]

    assert find_with(200 * 1024**2) == []
    assert find_with(200 * 1024**2 - 1) == ["disk_nearly_full"]


# The database, in which nobody does the background work


def find_at(url: str, **environ: str) -> dict[str, Finding]:
    settings = Settings.from_environ({"SECRET_KEY": RANDOM_KEY, "DATABASE_URL": url} | environ)
    found = check_database(settings, times.now)
    return {each.code: each for each in found if isinstance(each, Finding)}


@on_both_databases
def test_nothing_but_the_missing_background_work_is_found_and_no_file_is_made(database_url):
    assert set(find_at(database_url)) == {"no_worker"}

    if database_url.startswith("sqlite"):
        folder = Path(database_url.removeprefix("sqlite:///")).parent
        assert [path.name for path in folder.iterdir()] == ["embed.db"]


@on_both_databases
def test_background_work_that_fails_is_found(database_url):
    connection.open_database(database_url)
    now = times.now()
    work_status.hold_lease("here", "worker", now, now)
    for job, failure in {"listings": "It broke.", "prune": None}.items():
        work_status.claim_job(job, work_status.LEASE, now)
        work_status.report_job(job, failure=failure)
    db.close()

    (found,) = find_at(database_url).values()

    assert found.code == "job_failing"
    assert "listings fails: It broke." in found.problem


@pytest.mark.parametrize("file", ["folder/embed.db", "embed.db"])
def test_missing_database_is_found_and_not_made(tmp_path, file):
    assert set(find_at(f"sqlite:///{tmp_path}/{file}")) == {"database_missing"}
    assert list(tmp_path.iterdir()) == []


@on_both_databases
def test_database_without_tables_is_found(empty_database_url):
    if empty_database_url.startswith("sqlite"):
        Path(empty_database_url.removeprefix("sqlite:///")).touch()

    found = find_at(empty_database_url)

    assert set(found) == {"database_behind"}
    assert "flask db upgrade" in found["database_behind"].remedy


@on_both_databases
def test_database_of_another_version_is_found(database_url):
    connection.open_database(database_url)
    db.execute_sql("INSERT INTO schema_migration (name, applied) VALUES ('9999_x', '2026-01-01')")
    db.close()

    found = find_at(database_url)

    assert "9999_x" in found["database_of_another_version"].problem


def test_database_that_refuses_connections_is_found_without_its_password(tmp_path):
    found = find_at(f"postgresql://embed:hush-hush@/embed?host={tmp_path}")

    assert set(found) == {"database_unreachable"}
    assert "hush" not in found["database_unreachable"].problem


def test_file_that_is_no_database_is_found(tmp_path):
    path = tmp_path / "embed.db"
    path.write_text("Dear diary, " * 1000)

    found = find_at(f"sqlite:///{path}")

    assert set(found) == {"database_unreachable"}
    assert str(path) in found["database_unreachable"].problem


@on_both_databases
def test_minimum_that_nobody_can_meet_without_an_endpoint_is_found(database_url):
    connection.open_database(database_url)
    now = times.now()
    owner = accounts.get_installation_owner(now)
    token = {"token_name": "USD Coin", "token_symbol": "USDC", "token_mint": USDC}
    free, gated, deleted = (
        pages.create_page(owner, token | {"min_balance": minimum}, change_at(now)).id
        for minimum in (0, 5, 5)
    )
    pages.delete_page(deleted, change_at(now))
    db.close()

    found = find_at(database_url)["minimum_without_endpoint"]

    assert gated in found.problem
    assert free not in found.problem
    assert deleted not in found.problem
    assert set(find_at(database_url, SOLANA_RPC_URL="https://rpc.example")) == {"no_worker"}


# The public address


def find_from(url: str) -> list[Finding | str]:
    settings = Settings.from_environ({"SECRET_KEY": RANDOM_KEY, "PUBLIC_URL": url})
    return list(check_public_address(settings))


@pytest.fixture
def start(request):
    """Serve until the test ends; return the port."""

    def start(server) -> int:
        Thread(target=server.serve_forever, daemon=True).start()
        request.addfinalizer(server.server_close)
        request.addfinalizer(server.shutdown)
        return server.server_address[1]

    return start


def make_other(status: int, body: bytes = b"Welcome!", **headers: str) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


@pytest.mark.slow
def test_service_that_answers_is_fine(app, start):
    assert find_from(f"http://127.0.0.1:{start(make_server('127.0.0.1', 0, app))}") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other", "problem"),
    [
        (None, "connection was refused"),
        ({"status": 200}, "200 Welcome!"),
        ({"status": 301, "Location": "https://b.example/"}, "301 https://b.example/"),
    ],
)
def test_what_answers_in_place_of_the_service_is_found(other, problem, start):
    port = find_free_port() if other is None else start(make_other(**other))

    (found,) = find_from(f"http://127.0.0.1:{port}")

    assert found.code == "public_url_unreachable"
    assert problem in found.problem
