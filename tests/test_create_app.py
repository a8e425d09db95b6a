"""``create_app()``: what serves a fresh installation, and what a wrong setting leaves of it."""

import json
import os
import subprocess
import sys
from functools import partial

import pytest
from support.remote import TIMEOUT_S, at_once
from support.servers import (
    PROJECT_DIR,
)

from embed import create_app
from embed.db import connection, schema_version
from embed.db.connection import db
from embed.settings import VARIABLES, Settings, SettingsError

READ = "/api/embed/tracking/x"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An installation's empty folder, which the environment names; no other setting is set."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("INSTANCE_DIR", str(tmp_path / "instance"))
    yield tmp_path / "instance"
    db.close()


def test_first_request_makes_the_key_and_the_tables_and_creating_the_app_does_not(folder):
    client = create_app().test_client()
    assert client.get("/healthz").status_code == 200  # which is no first request
    before = folder.exists()

    answers = [client.get(path).status_code for path in ("/dashboard/sign-in", READ)]

    assert not before
    assert answers == [200, 401]
    assert {"embed.db", "secret_key"} <= {path.name for path in folder.iterdir()}
    assert schema_version.list_missing_migrations() == []


def test_empty_file_becomes_a_database(folder):
    folder.mkdir()
    (folder / "embed.db").touch()

    assert create_app().test_client().get(READ).status_code == 401
    assert schema_version.list_missing_migrations() == []


def test_first_request_leaves_an_older_database_as_it_is(folder):
    connection.open_database(Settings.from_environ().database_url)
    schema_version.upgrade()
    db.execute_sql("DELETE FROM schema_migration")
    db.execute_sql("INSERT INTO schema_migration (name, applied) VALUES ('0000_older', '2026')")

    create_app().test_client().get(READ)

    assert schema_version.list_applied_migrations() == ["0000_older"]


@pytest.mark.parametrize("content", [None, "short"], ids=["folder", "short"])
def test_key_that_cannot_be_used_is_503_with_a_line_in_the_log(folder, content, caplog):
    client = create_app().test_client()
    folder.mkdir()
    key = folder / "secret_key"
    key.mkdir() if content is None else key.write_text(content)

    answer = client.get(READ)

    assert (answer.status_code, answer.json) == (503, {"error": "unavailable"})
    assert str(key) in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("written", ["http", "https, http", "http, https"])
def test_scheme_is_that_of_the_public_address_whatever_proxies_write(world_with, written):
    world = world_with(TRUSTED_PROXIES="1", PUBLIC_URL="https://localhost")

    answer = world.call("GET", "/embed/tracking/x", headers={"X-Forwarded-Proto": written})

    assert "Strict-Transport-Security" in answer.headers


def test_quotation_mark_that_a_visitor_claims_does_not_hide_the_address(world_with):
    world = world_with(TRUSTED_PROXIES="1", LIMIT_PER_IP="1/day")
    statuses = [
        world.call("GET", "/embed/tracking/x", headers={"X-Forwarded-For": one}).status_code
        for one in ('192.0.2.1, "192.0.2.2, 198.51.100.7', "198.51.100.7")
    ]

    assert statuses == [401, 429]


# Wrong settings


@pytest.fixture
def wrong_app(folder, monkeypatch):
    monkeypatch.setenv("TRUSTED_PROXIES", "one")
    return create_app()


def test_wrong_setting_makes_every_request_503_and_one_line_in_the_log(wrong_app, caplog):
    client = wrong_app.test_client()

    for path in ("/", READ, "/embed/tracking/x", "/dashboard/", "/healthz"):
        answer = client.get(path)
        assert (answer.status_code, answer.json) == (503, {"error": "unavailable"})
        assert int(answer.headers["Retry-After"]) > 0

    assert [record.getMessage() for record in caplog.records] == [
        "TRUSTED_PROXIES must be a whole number, 0 or more."
    ]


def test_commands_of_a_wrong_setting_say_so_and_doctor_examines_it(wrong_app):
    run = wrong_app.test_cli_runner().invoke

    listed, examined = run(args=["pages", "list"]), run(args=["doctor", "--json"])

    assert listed.exit_code == 1
    assert listed.stderr == "Error: TRUSTED_PROXIES must be a whole number, 0 or more.\n"
    assert "TRUSTED_PROXIES" in json.loads(examined.stdout)[0]["problem"]


def test_given_settings_that_cannot_be_used_raise():
    with pytest.raises(SettingsError, match="RATELIMIT_STORAGE_URI"):
        create_app(Settings.from_environ({"RATELIMIT_STORAGE_URI": "redis+cluster://"}))


# As programs


@pytest.mark.slow
def test_of_eight_processes_one_makes_the_tables_and_seven_wait(folder):
    """Each is told at the same moment to make its first request."""
    program = (
        "from embed import create_app\n"
        "client = create_app().test_client()\n"
        "print('ready', flush=True)\n"
        "input()\n"
        f"print(client.get('{READ}').status_code)"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=PROJECT_DIR,
            env=os.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 8

    told = at_once([partial(one.communicate, "\n", timeout=TIMEOUT_S) for one in processes])

    assert told == [("401\n", None)] * 8
    connection.open_database(Settings.from_environ().database_url)
    assert schema_version.list_missing_migrations() == []
