"""flask doctor: its command, and what it finds in the settings."""

import json
import re

import pytest
from support.servers import PROJECT_DIR, find_free_port, run_flask, run_gunicorn
from support.world import RANDOM_KEY, SECRET_KEY, USDC
from test_docs import read_rows

from embed import __version__, doctor
from embed.doctor import Finding, check_settings, examine
from embed.domain import times
from embed.settings import Settings, SettingsError


def make_settings(**environ: str) -> Settings:
    return Settings.from_environ({"SECRET_KEY": RANDOM_KEY} | environ)


def list_codes(found) -> list[str]:
    return [each.code for each in found if isinstance(each, Finding)]


def test_documentation_lists_every_finding_with_its_severity():
    rows = read_rows(
        (PROJECT_DIR / "docs/monitoring.md").read_text(), "about", "errors", "warnings"
    )
    errors, warnings = (
        [code for row in rows for code in re.findall(r"`([a-z]+_[a-z_]+)`", row[column])]
        for column in (1, 2)
    )

    assert sorted(errors + warnings) == sorted(doctor.SENTENCES)
    assert set(warnings) == doctor.WARNINGS


def test_checks_that_cannot_be_made_are_told(tmp_path):
    url = f"sqlite:///{tmp_path}/none/embed.db"

    found = list(examine(make_settings(DATABASE_URL=url), times.now))

    assert list_codes(found) == ["database_missing"]
    assert found[1:] == [
        "Not checked: the background work, since the database can't be read.",
        "Not checked: the public address, since PUBLIC_URL isn't set.",
    ]
    assert list(tmp_path.iterdir()) == []


def test_check_that_crashes_is_told_in_a_line_and_the_others_go_on(tmp_path, monkeypatch):
    def crash(*_):
        yield {}["hush"]

    monkeypatch.setattr(doctor, "check_files", crash)

    found = list(examine(make_settings(DATABASE_URL=f"sqlite:///{tmp_path}/none.db"), times.now))

    assert list_codes(found) == ["check_failed", "database_missing"]
    assert found[0].problem == "The check of the files failed: KeyError"


# Settings


def test_every_setting_that_is_not_valid_is_found_and_then_nothing_else_is_checked():
    with pytest.raises(SettingsError) as refusal:
        make_settings(TRUSTED_PROXIES="one", LIMIT_PER_IP="a lot")

    proxies, limit, rest = examine(refusal.value, times.now)

    assert list_codes([proxies, limit]) == ["setting_invalid", "setting_invalid"]
    assert ": TRUSTED_PROXIES must be a whole number" in proxies.problem
    assert ": LIMIT_PER_IP must look like" in limit.problem
    assert rest == "Not checked: everything else, until the settings are valid."


POSTGRES = "postgresql://embed:{}@127.0.0.1/embed"


@pytest.mark.parametrize(
    ("environ", "codes"),
    [
        ({}, []),
        ({"SECRET_KEY": "CHANGE-ME to something random"}, ["secret_weak"]),
        ({"SECRET_KEY": "abababababababab12"}, ["secret_weak"]),
        ({"SECRET_KEY": f"{RANDOM_KEY},{SECRET_KEY}"}, ["secret_weak"]),
        ({"DATABASE_URL": "postgresql://embed:Vv0Xq2mJtK8d@a,b/embed"}, []),
        ({"DATABASE_URL": POSTGRES.format("a%20long%20password")}, ["secret_weak"]),
        ({"PUBLIC_URL": "http://127.0.0.1:8000"}, []),
        ({"PUBLIC_URL": "http://192.0.2.1:8000"}, ["public_url_http"]),
        ({"PUBLIC_URL": "https://a.example"}, ["proxy_not_trusted"]),
        ({"TRUSTED_PROXIES": "1"}, ["public_url_missing"]),
        ({"PUBLIC_URL": "https://a.example", "TRUSTED_PROXIES": "1"}, []),
        ({"WEB_CONCURRENCY": "2"}, ["limits_not_shared"]),
        ({"WEB_CONCURRENCY": "2", "RATELIMIT_STORAGE_URI": "redis://127.0.0.1"}, []),
    ],
)
def test_settings_that_are_valid_but_not_safe_are_found(environ, codes):
    assert list_codes(check_settings(make_settings(**environ))) == codes


@pytest.mark.parametrize(
    ("key", "codes"),
    [("hush", ["setting_invalid"]), ("hush" * 9, ["secret_weak"]), (RANDOM_KEY, [])],
)
def test_key_in_the_file_is_checked_and_not_told(key, codes, tmp_path):
    (tmp_path / "secret_key").write_text(key)

    found = list(check_settings(Settings.from_environ({"INSTANCE_DIR": str(tmp_path)})))

    assert list_codes(found) == codes
    assert "hush" not in str(found)


# The command

SECRET = "hush-7Yc2mQ9x"  # in every setting that may hold one


@pytest.mark.slow
def test_nothing_is_wrong_with_a_service_on_its_defaults(database_url):
    port = find_free_port()
    environ = {
        "DATABASE_URL": database_url,
        "SECRET_KEY": RANDOM_KEY,
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
    }
    with run_gunicorn(environ, "--bind", f"127.0.0.1:{port}"):
        told = run_flask("doctor", environ=environ)

    assert (told.stdout, told.stderr) == ("Nothing is wrong.\n", "")


@pytest.mark.slow
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

    findings = json.loads(told.stdout)
    assert {each["code"] for each in findings} == {
        *("secret_weak", "database_unreachable", "public_url_unreachable"),
    }
    assert all(set(each) == {"code", "severity", "problem", "remedy"} for each in findings)
    assert "Not checked: the background work" in told.stderr
    assert SECRET not in told.stdout + told.stderr


@pytest.mark.slow
@pytest.mark.parametrize("is_valid", [True, False])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_report_for_support_has_no_secret_address_or_name(options, is_valid, world, environ):
    """Everything is set, and of the values only numbers and choices are told."""
    world.track(USDC)
    database_url = environ["DATABASE_URL"]
    environ = {
        "DATABASE_URL": database_url,
        "SECRET_KEY": f"{SECRET}-{RANDOM_KEY}",
        "PUBLIC_URL": f"http://{SECRET}.example",
        "INSTANCE_DIR": f"/{SECRET}",
        "FIRST_OWNER": f"{SECRET}@example.com",
        "TRUSTED_PROXIES": "2",
        "LIMIT_PER_IP": "7/minute",
        "NONCE_LIFETIME": "77" if is_valid else SECRET,
        "BACKGROUND": "worker",
        "RATELIMIT_STORAGE_URI": f"redis://:{SECRET}@localhost",
        "SOLANA_RPC_URL": f"http://localhost/{SECRET}",
        "SMTP_URL": f"smtp://user:{SECRET}@localhost",
    }

    told = run_flask("doctor", "--support", *options, environ=environ, check=False)

    assert told.returncode == 0
    for private in (SECRET, "example", "localhost", database_url, USDC, world.page_id):
        assert private not in told.stdout + told.stderr
    last = ("77", "SQLite 3.") if is_valid else ("not valid", "setting_invalid")
    for public in ("TRUSTED_PROXIES", "7/minute", "worker", __version__, *last):
        assert public in told.stdout
    if options and is_valid:
        rows = {"owners": 1, "pages": 1, "wallets": 1, "submissions": 0}
        assert json.loads(told.stdout)["rows"] == rows


@pytest.mark.parametrize("severity", ["warning", "error"])
def test_only_errors_change_the_exit_status(app, monkeypatch, severity):
    found = Finding("some_code", severity, "It is so.", "Mend it.")
    monkeypatch.setattr("embed.cli.installation.examine", lambda *_: [found, "Not checked: it."])

    result = app.test_cli_runner().invoke(args=["doctor"])

    assert result.exit_code == (1 if severity == "error" else 0)
    assert result.output == (
        f"{severity.upper()} some_code: It is so.\n  What to do: Mend it.\nNot checked: it.\n"
    )
