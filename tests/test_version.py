"""One version: in the package, pyproject.toml, the changelog and what the command says."""

import json
import re
import tomllib

import pytest
from support.remote import run_here
from support.servers import PROJECT_DIR
from support.world import SECRET_KEY
from test_docs import read_rows

from embed import __version__
from embed.db import connection, schema_version
from embed.db.connection import db
from embed.db.schema_version import list_migrations

CHANGELOG = (PROJECT_DIR / "CHANGELOG.md").read_text()
RELEASES = re.findall(r"^## (\S+) - (\d{4}-\d{2}-\d{2})$", CHANGELOG, re.MULTILINE)


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

    assert __version__ == project["version"] == RELEASES[0][0]


def test_changelog_goes_from_the_newest_to_the_first_version():
    numbers = [tuple(map(int, number.split("."))) for number, _ in RELEASES]
    dates = [date for _, date in RELEASES]

    assert len(RELEASES) == len(re.findall(r"^## (?!Unreleased$)", CHANGELOG, re.MULTILINE))
    assert numbers == sorted(set(numbers), reverse=True)
    assert dates == sorted(dates, reverse=True)


def test_changelog_names_every_migration_once():
    named: list[str] = []
    for first, last in re.findall(r"^Migrations?: (\d{4})(?: (?:to|and) (\d{4}))?\.$", CHANGELOG,
                                  re.MULTILINE):  # fmt: skip
        named += [f"{number:04}" for number in range(int(first), int(last or first) + 1)]

    assert sorted(named) == [name[:4] for name in list_migrations()]


def test_upgrades_tell_the_newest_migration_of_each_version():
    sections = re.split(r"^## (?:\[?)(\S+).*$", CHANGELOG, flags=re.MULTILINE)[1:]
    last, expected = "", []
    for version, text in reversed([*zip(sections[::2], sections[1::2], strict=True)]):
        found = re.search(r"^Migrations?: (?:\d{4} (?:to|and) )?(\d{4})\.$", text, re.MULTILINE)
        last = next(name for name in list_migrations() if name[:4] == found[1]) if found else last
        name = f"after {RELEASES[0][0]}" if version == "Unreleased" else version
        expected.insert(0, [name, f"`{last}`"])

    told = read_rows((PROJECT_DIR / "docs/operating.md").read_text(), "version", "newest migration")
    assert told == expected


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
