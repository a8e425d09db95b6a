"""``flask`` and ``tracking-embed`` as programs: how they are called, and which files they make."""

import os
import signal
import stat
import subprocess
import sys

import pytest
import requests
from support.remote import TIMEOUT_S
from support.servers import (
    PROJECT_DIR,
    Server,
    clean_environ,
    find_free_port,
    is_listening,
    run_flask,
    wait_until,
)
from support.world import SECRET_KEY

from embed.commands import COMMANDS

pytestmark = pytest.mark.slow


@pytest.fixture
def environ(app, database_url):
    return {"DATABASE_URL": database_url, "SECRET_KEY": SECRET_KEY}


@pytest.mark.parametrize("program", ["flask", "embed"])
def test_every_command_is_listed_whatever_the_settings(program):
    told = subprocess.run(
        [sys.executable, "-m", program, "--help"],
        cwd=PROJECT_DIR,
        env=clean_environ() | {"TRUSTED_PROXIES": "one"},
        check=True,
        capture_output=True,
        text=True,
    )

    assert told.stderr == ""
    words = {line.split()[0] for line in told.stdout.partition("Commands:")[2].splitlines() if line}
    assert {command.name for command in COMMANDS} | {"routes", "run", "shell"} <= words


# Files: commands that only look create none before the first start


@pytest.fixture
def folder(tmp_path):
    """Where the service keeps its files, once it has some."""
    return tmp_path / "instance"


@pytest.fixture
def run(folder):
    """Run flask with no settings but the folder: ``run("pages", "list")``."""

    def run_there(*arguments: str, check: bool = False) -> subprocess.CompletedProcess[str]:
        return run_flask(*arguments, environ={"INSTANCE_DIR": str(folder)}, check=check)

    return run_there


def test_version_creates_nothing(run, folder):
    run("version", check=True)

    assert not folder.exists()


@pytest.mark.parametrize("command", ["owners create owner@example.com", "worker status"])
def test_commands_on_a_database_that_does_not_exist_say_so_and_create_nothing(command, run, folder):
    ended = run(*command.split())

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        f"Error: There is no database at {folder / 'embed.db'} (DATABASE_URL). Use the service's"
        " settings; only if it has no database yet, create one with flask db upgrade.\n"
    )
    assert not folder.exists()


def test_key_is_made_by_the_first_command_that_signs(run, folder):
    run("db", "upgrade", check=True)
    run("pages", "list", check=True)
    before = {path.name for path in folder.iterdir()}

    link = run("owners", "create", "owner@example.com", check=True).stdout

    assert "secret_key" not in before
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600
    assert "/dashboard/" in link


# flask serve


@pytest.mark.parametrize("program", ["flask", "embed"])
def test_service_is_served_by_gunicorn_with_its_options(program, tmp_path):
    port, log = find_free_port(), tmp_path / "log"
    with log.open("w") as said:
        server = Server(
            [sys.executable, "-m", program, "serve", "--bind", f"127.0.0.1:{port}"],
            cwd=PROJECT_DIR,
            env=clean_environ() | {"INSTANCE_DIR": str(tmp_path / "data")},
            stderr=said,
        )
    try:
        wait_until(lambda: is_listening(port), server.process)
        url = f"http://127.0.0.1:{port}/readyz"
        wait_until(lambda: requests.get(url, timeout=TIMEOUT_S).ok, server.process)
        assert {"embed.db", "secret_key"} <= {path.name for path in (tmp_path / "data").iterdir()}
        server.process.send_signal(signal.SIGUSR2)  # starts a second one beside it
        wait_until(lambda: log.read_text().count("Booting worker") == 2, server.process)
    finally:
        server.end(lambda: os.killpg(server.process.pid, signal.SIGKILL))  # both
    assert "Traceback" not in log.read_text()


def test_nothing_in_the_folder_where_a_command_is_run_is_part_of_the_program(tmp_path):
    here, ran = tmp_path / "here", tmp_path / "ran"
    for name in ("embed/__init__", "app", "flask", "gunicorn", "gunicorn.conf", "json", "peewee"):
        file = here / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"open({str(ran)!r}, 'a').write({name!r} + ' ')\nraise SystemExit(3)\n")
    (here / ".env").write_text("TRUSTED_PROXIES=one\n")
    # As the installed program, whose script is in another folder.
    program = [sys.executable, "-P", "-m", "embed"]
    where = {"cwd": here, "env": clean_environ() | {"PYTHONPATH": str(PROJECT_DIR)}}
    where["env"]["INSTANCE_DIR"] = str(tmp_path / "data")
    port = find_free_port()

    subprocess.run([*program, "version"], check=True, capture_output=True, **where)
    server = Server([*program, "serve", "--bind", f"127.0.0.1:{port}"], **where)
    try:
        wait_until(lambda: is_listening(port), server.process)
    finally:
        server.end(server.process.terminate)

    assert not ran.exists()
