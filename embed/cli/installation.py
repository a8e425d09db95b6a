"""flask serve, flask version, flask db and flask doctor: this installation"""

import os
import platform
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from peewee import PeeweeException

import embed
from embed import __version__
from embed.db import schema_version
from embed.db.connection import read_server_version
from embed.db.schema_version import list_applied_migrations, list_migrations
from embed.doctor.examination import Examination, describe_installation, examine
from embed.doctor.findings import Finding
from embed.domain import times
from embed.settings import PROJECT_DIR
from embed.terminal import Command, Group, JsonObject, print_answer, runtime, wants_json

database = Group("db", help="Manage the database's tables.")


@database.command("upgrade")
def upgrade() -> None:
    """Upgrade the database to this version.

    gunicorn does this when it starts. It's safe to run again.
    """
    applied = schema_version.upgrade()
    text = f"Applied: {', '.join(applied)}." if applied else "The database is up to date."
    print_answer({"applied": applied}, text)


@click.command("version", cls=Command)
def version() -> None:
    """Show the versions of the service and its database."""
    known = list_migrations()
    server, applied = _ask_database()
    print_answer(
        {
            "version": __version__,
            "python": platform.python_version(),
            "database": server,
            "migration": applied[-1] if applied else None,
            "newestMigration": known[-1],
            "isUpToDate": applied == known,
        }
    )


def _ask_database() -> tuple[str | None, list[str]]:
    """Return the database's kind and version, None if it doesn't answer, and its migrations."""
    try:
        return read_server_version(), list_applied_migrations()
    except PeeweeException:
        return None, []


@click.command(
    "serve",
    cls=Command,
    speaks_json=False,
    context_settings={"ignore_unknown_options": True},
    options_metavar="[GUNICORN'S OPTIONS]...",
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="")
def serve(options: tuple[str, ...]) -> None:
    """Start the service with gunicorn.

    It listens on 127.0.0.1:8000. You can add gunicorn's own options, such as --bind=0.0.0.0:8000;
    files in them need absolute paths.
    """
    folder = runtime().settings.instance_dir
    click.echo(f"What it makes for itself is kept in {folder} (INSTANCE_DIR).", err=True)
    gunicorn = sysconfig.get_path("scripts") + "/gunicorn"
    config = str(PROJECT_DIR / "gunicorn.conf.py")
    command = [sys.executable, gunicorn, "--config", config, "embed.wsgi:app", *options]
    # gunicorn imports from the folder where it's started before any other.
    os.chdir(Path(embed.__path__[0]).parent)
    os.execv(sys.executable, command)  # noqa: S606 -- our own command line


@click.command("doctor", cls=Command, needs_settings=False)
@click.option(
    "--support",
    is_flag=True,
    help="Print details for a bug report, without secrets, addresses, keys or wallets.",
)
@click.pass_context
def doctor(context: click.Context, support: bool) -> None:
    """Find problems with this installation.

    For each problem it says how to fix it. It changes nothing. The exit status is 1 if it found an
    error, and 0 if it found only warnings or nothing. See docs/monitoring.md.
    """
    examination = examine(os.environ, times.now)
    if support:
        # Only codes: the sentences contain addresses and paths.
        found = {each.code: each.severity for each in examination.findings}
        described = {**describe_installation(os.environ), "findings": found}
        print_answer(described, "\n".join(_list_lines(described)))
        return
    print_answer([_describe(each) for each in examination.findings], _explain(examination))
    for sentence in examination.not_checked:
        click.echo(sentence, err=wants_json())
    context.exit(int(examination.has_errors))


def _list_lines(described: dict[str, Any]) -> Iterator[str]:
    for name, value in described.items():
        if isinstance(value, dict):
            value = ", ".join(f"{part} {each}" for part, each in value.items()) or "none"
        yield f"{name}: {value}"


def _describe(finding: Finding) -> JsonObject:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "problem": finding.problem,
        "remedy": finding.remedy,
    }


def _explain(examination: Examination) -> str:
    lines = [
        f"{each.severity.upper()} {each.code}: {each.problem}\n  What to do: {each.remedy}\n"
        for each in examination.findings
    ]
    lines = lines or ["Nothing is wrong."]
    return "\n".join([*lines, f"Checked: {', '.join(examination.checked)}."])
