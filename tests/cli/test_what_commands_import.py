"""A command imports what it needs, whichever way ``flask`` is called."""

import re
import subprocess
import sys

import click
import pytest
from support.servers import PROJECT_DIR, clean_environ, run_flask
from support.world import SECRET_KEY

from embed.commands import COMMANDS, SECTIONS, is_command_looked_up, load_command

pytestmark = pytest.mark.slow

# What takes long to import, and what the settings of these tests need none of.
HEAVY = {
    *(
        "babel",
        "httpcore",
        "smtplib",
        "solders",
        "prometheus_client",
        "confusable_homoglyphs",
        "zxcvbn",
    ),
    *("aiosmtpd", "wtforms", "flask_login", "flask_cors", "flask_compress", "segno", "redis"),
    *("embed.web", "embed.factory", "embed.outbound", "embed.demo"),
}
MIGRATIONS = "playhouse.migrations"
SMALL = {
    "--help": {"embed.cli", MIGRATIONS},
    "pages list": {MIGRATIONS},
    "pages create --help": {MIGRATIONS},
    "keys --help": {MIGRATIONS},
    "owners list": {MIGRATIONS},
    "channels --help": {MIGRATIONS},
    "tags --help": {MIGRATIONS},
    "wallets --help": {MIGRATIONS},
    "balances --help": {MIGRATIONS},
    "worker status": {MIGRATIONS, "embed.worker.jobs"},
    "prune": {MIGRATIONS},
    "version": set(),
    "db upgrade": set(),
}


@pytest.fixture
def environ(app, database_url):
    return {"DATABASE_URL": database_url, "SECRET_KEY": SECRET_KEY}


def list_imported(*arguments: str, environ: dict[str, str], program: str = "flask") -> set[str]:
    """Run a command, and return the names of all modules that it imported."""
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", program, *arguments],
        cwd=PROJECT_DIR,
        env=clean_environ() | environ,
        check=True,
        capture_output=True,
        text=True,
    )
    return {
        line.rpartition("|")[2].strip()
        for line in ended.stderr.splitlines()
        if line.startswith("import time:")
    }


@pytest.mark.parametrize("command", SMALL)
def test_command_that_prints_something_small_imports_little(command, environ):
    imported = list_imported(*command.split(), environ=environ)

    assert "flask" in imported
    assert imported & (HEAVY | SMALL[command]) == set()
    # The whole app has about 185 of ours.
    assert len([name for name in imported if name.startswith("embed.")]) < 95


def test_list_of_commands_says_what_the_commands_themselves_say():
    for name, (_, first_sentence) in COMMANDS.items():
        listed, itself = click.Command(name, help=first_sentence), load_command(name)
        assert itself.name == name
        for limit in (20, 45, 60, 200):
            assert listed.get_short_help_str(limit) == itself.get_short_help_str(limit)


def test_all_are_listed_and_need_no_setting_for_that():
    told = run_flask("--help", environ={"TRUSTED_PROXIES": "one", "COLUMNS": "200"}).stdout

    listed = re.findall(r"^  ([a-z-]+) ", told.partition("Commands:")[2], re.MULTILINE)
    assert set(listed) == set(COMMANDS) | {"limiter", "routes", "run", "shell"}


def test_program_of_the_package_lists_them_by_what_they_are_for_and_imports_no_others():
    environ = {"TRUSTED_PROXIES": "one", "COLUMNS": "200"}
    told = subprocess.run(
        [sys.executable, "-m", "embed", "--help"],
        cwd=PROJECT_DIR,
        env=clean_environ() | environ,
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    sections = re.split(r"^(\S.*):\n", told, flags=re.MULTILINE)[1:]
    listed = dict(zip(sections[::2], sections[1::2], strict=True))
    assert list(listed)[1:] == [*SECTIONS, "Flask's own"]
    for title, names in SECTIONS.items():
        assert re.findall(r"^  ([a-z-]+) ", listed[title], re.MULTILINE) == list(names)
    assert "flask_limiter" not in list_imported("pages", "--help", environ={}, program="embed")


@pytest.mark.parametrize("options", [["--app", "app"], ["--debug"], ["--app=app.py", "--no-debug"]])
def test_options_may_come_before_the_command(options, environ):
    assert run_flask(*options, "pages", "list", environ=environ).stdout == "None yet.\n"


def test_flasks_own_commands_see_the_whole_app(environ):
    routes = run_flask("routes", environ=environ).stdout

    assert "/api/embed/siws/nonce" in routes
    assert "/dashboard/" in routes


def test_server_that_is_a_command_itself_gets_the_whole_app():
    with click.Context(click.Command("serve")):
        assert not is_command_looked_up()
    assert not is_command_looked_up()


@pytest.mark.parametrize(
    ("command", "variable", "value"),
    [
        ("pages list", "RATELIMIT_STORAGE_URI", "redis+cluster://"),
        ("pages create --help", "MAX_WALLETS", "many"),
        ("worker", "LOG_FORMAT", "prose"),
    ],
)
def test_wrong_setting_is_one_line(command, variable, value, environ):
    ended = run_flask(*command.split(), environ=environ | {variable: value}, check=False)

    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"Error: {variable}")
