"""flask doctor as operators run it; no check hides what the others find."""

import json
import re

import pytest
from flask import Flask
from support.servers import PROJECT_DIR, find_free_port, run_flask, run_gunicorn
from support.world import RANDOM_KEY
from test_docs import read_rows

from embed import __version__
from embed.commands import init_commands
from embed.doctor.examination import Examination
from embed.doctor.findings import SEVERITY_BY_CODE, Finding, NotChecked
from embed.settings import VARIABLES

pytestmark = pytest.mark.slow

SECRET = "hush-7Yc2mQ9x"  # in every setting that may hold one


def test_nothing_is_wrong_with_a_service_on_its_defaults(database_url):
    environ = {"DATABASE_URL": database_url, "SECRET_KEY": RANDOM_KEY}
    port = find_free_port()
    environ["PUBLIC_URL"] = f"http://127.0.0.1:{port}"
    with run_gunicorn(environ, "--bind", f"127.0.0.1:{port}"):
        told = run_flask("doctor", environ=environ)

    assert told.stdout == (
        "Nothing is wrong.\nChecked: settings, files, database, background work, public address.\n"
    )
    assert told.stderr == ""


def examine_here(monkeypatch, *options: str, environ: dict[str, str]):
    """Run the command in this process with these settings alone, and return its result."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    app = Flask(__name__)
    init_commands(app)
    return app.test_cli_runner().invoke(args=["doctor", *options], env=environ)


def test_command_makes_no_folder_and_tells_what_it_could_not_check(tmp_path, monkeypatch):
    environ = {
        "DATABASE_URL": f"sqlite:///{tmp_path}/folder/embed.db",
        "SECRET_KEY": RANDOM_KEY,
    }

    told = examine_here(monkeypatch, environ=environ)

    assert told.exit_code == 1
    assert told.stdout.startswith("ERROR database_missing: There is no database at")
    assert "\n  What to do: Start gunicorn" in told.stdout
    assert "\nNot checked: the public address, since PUBLIC_URL isn't set." in told.stdout
    assert list(tmp_path.iterdir()) == []


def test_no_secret_is_told():
    nowhere = f"127.0.0.1:{find_free_port()}"
    environ = {
        "DATABASE_URL": f"postgresql://embed:{SECRET}@{nowhere}/embed",
        "SECRET_KEY": f"{SECRET}-changeme-{SECRET}",
        "PUBLIC_URL": f"http://{nowhere}",
        "RATELIMIT_STORAGE_URI": f"redis://:{SECRET}@{nowhere}",
        "SOLANA_RPC_URL": f"http://{nowhere}/{SECRET}?key={SECRET}",
        "SMTP_URL": f"smtp://user:{SECRET}@{nowhere}",
    }

    told = run_flask("doctor", "--json", environ=environ, check=False)

    assert {each["code"] for each in json.loads(told.stdout)} == {
        *("secret_weak", "database_unreachable", "public_url_unreachable"),
    }
    assert SECRET not in told.stdout + told.stderr


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_report_for_support_has_no_secret_address_or_name(options, world, environ):
    """Everything is set, and of the values only numbers and choices are told."""
    address = "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
    world.track(address)
    database_url = environ["DATABASE_URL"]
    environ = {
        "DATABASE_URL": database_url,
        "SECRET_KEY": f"{SECRET}-{RANDOM_KEY}",
        "PUBLIC_URL": f"http://{SECRET}.example",
        "INSTANCE_DIR": f"/{SECRET}",
        "FIRST_OWNER": f"{SECRET}@example.com",
        "TRUSTED_PROXIES": "2",
        "LIMIT_PER_IP": "7/minute",
        "NONCE_LIFETIME": SECRET,
        "BACKGROUND": "worker",
        "RATELIMIT_STORAGE_URI": f"redis://:{SECRET}@localhost",
        "SOLANA_RPC_URL": f"http://localhost/{SECRET}",
        "SMTP_URL": f"smtp://user:{SECRET}@localhost",
    }

    told = run_flask("doctor", "--support", *options, environ=environ, check=False)

    assert told.returncode == 0
    for private in (SECRET, "example", "localhost", database_url, address, world.page_id):
        assert private not in told.stdout + told.stderr
    for public in ("TRUSTED_PROXIES", "7/minute", "not valid", "worker", __version__, "SQLite 3."):
        assert public in told.stdout
    if options:
        rows = {"owners": 1, "pages": 1, "wallets": 1, "submissions": 0}
        assert json.loads(told.stdout)["rows"] == rows


@pytest.mark.parametrize(("code", "status"), [("public_url_missing", 0), ("database_missing", 1)])
def test_only_errors_change_the_exit_status(monkeypatch, code, status):
    found = Examination([Finding(code, "It is so.", "Mend it.")], ["something"])
    monkeypatch.setattr("embed.cli.installation.examine", lambda *_: found)

    result = examine_here(monkeypatch, environ={})

    assert result.exit_code == status
    severity = "ERROR" if status else "WARNING"
    assert result.output == (
        f"{severity} {code}: It is so.\n  What to do: Mend it.\n\nChecked: something.\n"
    )


# The examination

WRONG = Finding("database_behind", "It is wrong.", "Mend it.")


def test_check_that_crashes_says_so_without_the_text_of_its_error():
    def crash():
        yield WRONG
        raise ValueError("hush")

    examination = Examination()
    examination.add("this and that", crash())
    examination.add("what is fine", [])

    assert [each.code for each in examination.findings] == ["database_behind", "check_failed"]
    problem = examination.findings[1].problem
    assert "this and that failed: ValueError in test_command.py, line" in problem
    assert "hush" not in problem
    assert examination.checked == ["what is fine"]


def test_what_cannot_be_checked_is_told_with_what_was_found_before():
    def give_up():
        yield WRONG
        raise NotChecked("There is no way to tell.")

    examination = Examination()
    examination.add("something", give_up())

    assert examination.findings == [WRONG]
    assert (examination.checked, examination.not_checked) == ([], ["There is no way to tell."])


def test_documentation_lists_every_finding_with_its_severity():
    rows = read_rows(
        (PROJECT_DIR / "docs/monitoring.md").read_text(), "about", "errors", "warnings"
    )
    told = [
        (code, severity)
        for row in rows
        for severity, cell in zip(("error", "warning"), row[1:], strict=True)
        for code in re.findall(r"`([a-z]+_[a-z_]+)`", cell)
    ]

    assert len(told) == len(SEVERITY_BY_CODE)
    assert dict(told) == SEVERITY_BY_CODE
