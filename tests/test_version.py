"""One version: in the package, pyproject.toml, the changelog and what the command says."""

import json
import re
import tomllib

import pytest
from support.remote import run_here
from support.servers import PROJECT_DIR
from support.world import SECRET_KEY

from embed import __version__
from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.schema_version import list_migrations


@pytest.fixture
def run_version(empty_database_url):
    """Run the command with a database that has its migrations up to one."""

    def run(last: str | None = None, url: str = empty_database_url, *options: str):
        if last is not None:
            connection.open_database(url)
            schema_version.upgrade(last=last)
            db.close()
        return run_here(
            "version", *options, environ={"DATABASE_URL": url, "SECRET_KEY": SECRET_KEY}
        )

    return run


def test_package_project_and_changelog_agree():
    project = tomllib.loads((PROJECT_DIR / "pyproject.toml").read_text())["project"]

    changelog = (PROJECT_DIR / "CHANGELOG.md").read_text()
    newest = re.search(r"^## (\d\S+) - \d{4}-\d{2}-\d{2}$", changelog, re.MULTILINE)

    assert __version__ == project["version"] == newest[1]


def test_command_tells_the_version_and_that_of_the_database(run_version, empty_database_url):
    *_, before, newest = list_migrations()
    kind = "SQLite" if empty_database_url.startswith("sqlite") else "Postgres"

    behind = json.loads(run_version(before, empty_database_url, "--json").stdout)
    level = json.loads(run_version(newest, empty_database_url, "--json").stdout)

    assert (behind["version"], behind["migration"]) == (__version__, before)
    assert behind["database"].startswith(f"{kind} ")
    assert [one["isUpToDate"] for one in (behind, level)] == [False, True]
    assert level["migration"] == level["newestMigration"] == newest


def test_command_works_without_tables_and_without_a_database(run_version):
    empty = run_version()
    away = run_version(url="postgresql://nobody@127.0.0.1:1/nothing")

    for done in (empty, away):
        assert done.exit_code == 0
        assert f"version          {__version__}\n" in done.stdout
        assert "migration        -\n" in done.stdout
    assert "database         -\n" in away.stdout
