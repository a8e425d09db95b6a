"""``flask`` and ``tracking-embed`` as programs: they find the app, and leave nothing behind."""

import subprocess
import sys

import pytest
from support.servers import PROJECT_DIR, clean_environ, run_flask
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


def test_options_may_come_before_the_command(environ):
    assert (
        run_flask("--app=app.py", "--no-debug", "pages", "list", environ=environ).stdout
        == "None yet.\n"
    )


def test_flasks_own_commands_see_the_same_app(environ):
    routes = run_flask("routes", environ=environ).stdout

    assert "/api/embed/siws/nonce" in routes
    assert "/dashboard/" in routes


@pytest.mark.parametrize(
    ("command", "variable", "value"),
    [
        ("pages list", "RATELIMIT_STORAGE_URI", "redis+cluster://"),
        ("routes", "LOG_FORMAT", "prose"),
    ],
)
def test_wrong_setting_is_one_line(command, variable, value, environ):
    ended = run_flask(*command.split(), environ=environ | {variable: value}, check=False)

    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"Error: {variable}")
