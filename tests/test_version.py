"""One version: in the package, pyproject.toml, the changelog and what the command says."""

import json
import re
import subprocess
import tomllib

import pytest
from support import version_0_7_0
from support.remote import run_here
from support.servers import PROJECT_DIR
from support.world import SECRET_KEY

from embed import __version__
from embed.cli import installation
from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.schema_version import list_migrations

CHANGELOG = (PROJECT_DIR / "CHANGELOG.md").read_text()
SECTIONS = re.split("^## ", CHANGELOG, flags=re.MULTILINE)[1:]


@pytest.fixture
def run_version(empty_database_url):
    """Run the command with the database, or with another one."""

    def run(url: str = empty_database_url, *options: str):
        return run_here(
            "version", *options, environ={"DATABASE_URL": url, "SECRET_KEY": SECRET_KEY}
        )

    return run


def test_package_project_and_changelog_agree():
    project = tomllib.loads((PROJECT_DIR / "pyproject.toml").read_text())["project"]

    newest = SECTIONS[0]

    assert __version__ == project["version"]
    if __version__.endswith(".dev0"):  # between two releases
        assert newest.startswith("Unreleased\n")
        assert f" {__version__}." in newest
    else:
        assert re.match(rf"{re.escape(__version__)} - \d{{4}}-\d{{2}}-\d{{2}}\n", newest)


def test_every_version_names_its_commit_and_begins_with_what_there_is_to_do():
    firsts = [re.search("^### (.*)", section, re.MULTILINE)[1] for section in SECTIONS]

    assert set(firsts) == {"To do when upgrading"}
    # A commit can't name itself, so the newest version gets this line with the next one.
    for section in SECTIONS[1:]:
        assert re.match(r"\S+ - \S+\n\nCommit `[0-9a-f]{8}`\.\n", section)


def test_command_tells_the_version_and_that_of_the_database(run_version, empty_database_url):
    kind = "SQLite" if empty_database_url.startswith("sqlite") else "Postgres"
    connection.open_database(empty_database_url)
    version_0_7_0.make()
    db.close()

    behind = json.loads(run_version(empty_database_url, "--json").stdout)
    connection.open_database(empty_database_url)
    schema_version.upgrade()
    db.close()
    level = json.loads(run_version(empty_database_url, "--json").stdout)

    assert (behind["version"], behind["migration"]) == (__version__, "0002_from_0_6_0")
    assert behind["database"].startswith(f"{kind} ")
    assert [one["isUpToDate"] for one in (behind, level)] == [False, True]
    assert level["migration"] == level["newestMigration"] == list_migrations()[-1]


def test_command_works_without_tables_and_without_a_database(run_version):
    empty = run_version()
    away = run_version(url="postgresql://nobody@127.0.0.1:1/nothing")

    for done in (empty, away):
        assert done.exit_code == 0
        assert f"version          {__version__}\n" in done.stdout
        assert "migration        -\n" in done.stdout
    assert "database         -\n" in away.stdout


def test_command_tells_the_commit_of_a_git_checkout(run_version, tmp_path, monkeypatch):
    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    monkeypatch.setattr(installation, "PROJECT_DIR", tmp_path)
    shown = run_version().stdout
    git("init")
    shown += run_version().stdout
    for step in ("commit --allow-empty --message=First", "pack-refs --all", "checkout --detach"):
        git(*step.split())
        assert f"commit           {git('rev-parse', 'HEAD')[:8]}\n" in run_version().stdout

    assert "commit" not in shown  # without a checkout, and before the first commit
