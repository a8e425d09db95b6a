"""flask serve, flask version, flask db and flask doctor: this installation"""

import os
import platform
import re
import sys
import sysconfig
from contextlib import closing
from datetime import timedelta
from importlib import metadata
from pathlib import Path

import click
from limits import RateLimitItem
from peewee import PeeweeException

import embed
from embed import __version__
from embed.db import schema_version
from embed.db.connection import db, read_server_version
from embed.db.models import Page, Person, Submission, Wallet
from embed.db.schema_version import (
    list_applied_migrations,
    list_migrations,
    list_missing_migrations,
)
from embed.doctor import Finding, examine, open_for_reading
from embed.domain import times
from embed.settings import PROJECT_DIR, VARIABLES, Settings, SettingsError
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
    """Show the versions of the service and its database, and the commit in a git checkout."""
    known = list_migrations()
    server, applied = _ask_database()
    print_answer(
        {
            **_describe_program(),
            "database": server,
            "migration": applied[-1] if applied else None,
            "newestMigration": known[-1],
            "isUpToDate": applied == known,
        }
    )


def _describe_program() -> JsonObject:
    commit = _read_commit()
    return {
        "version": __version__,
        **({"commit": commit[:8]} if commit else {}),
        "python": platform.python_version(),
    }


def _read_commit() -> str | None:
    """Return the commit of a git checkout, None elsewhere, such as in a container."""
    folder = PROJECT_DIR / ".git"
    try:
        head = (folder / "HEAD").read_text().strip()
        branch = head.removeprefix("ref: ")
        if branch == head:
            return head
        if (folder / branch).exists():
            return (folder / branch).read_text()
        packed = (folder / "packed-refs").read_text()
    except OSError:
        return None
    found = re.search(rf"^(\w+) {re.escape(branch)}$", packed, re.MULTILINE)
    return found and found[1]


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
    command = [sys.executable, gunicorn, "--config", config, "embed:create_app()", *options]
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
    settings = _read_settings()
    found = list(examine(settings, times.now))
    findings = [each for each in found if isinstance(each, Finding)]
    if support:
        # Only codes: the sentences contain addresses and paths.
        severities = {each.code: each.severity for each in findings}
        print_answer({**_describe_installation(settings), "findings": severities})
        return
    texts = [
        f"{each.severity.upper()} {each.code}: {each.problem}\n  What to do: {each.remedy}"
        for each in findings
    ]
    print_answer(findings, "\n\n".join(texts or ["Nothing is wrong."]))
    for each in found:
        if not isinstance(each, Finding):
            click.echo(each, err=wants_json())
    context.exit(int(any(each.severity == "error" for each in findings)))


def _read_settings() -> Settings | SettingsError:
    """Return the environment's settings, or why the service doesn't start with them."""
    try:
        runtime()
        return Settings.from_environ()
    except SettingsError as error:
        return error


def _describe_installation(settings: Settings | SettingsError) -> JsonObject:
    """Return the data for a bug report, without secrets, addresses, keys or wallets."""
    libraries = ("Flask", "gunicorn", "peewee", "psycopg2-binary", "Werkzeug")
    given = {name: os.environ.get(name, "") for name in VARIABLES}
    return {
        **_describe_program(),
        "system": platform.platform(),
        "libraries": {name: metadata.version(name) for name in libraries},
        **({} if isinstance(settings, SettingsError) else _describe_database(settings)),
        "settings": {
            name: _describe_value(name, raw) for name, raw in given.items() if raw.strip()
        },
    }


def _describe_database(settings: Settings) -> JsonObject:
    counted = {"owners": Person, "pages": Page, "wallets": Wallet, "submissions": Submission}
    try:
        with closing(db):
            open_for_reading(settings.database_url)
            applied = list_applied_migrations()
            return {
                "database": read_server_version(),
                "migration": applied[-1] if applied else None,
                "missingMigrations": len(list_missing_migrations()),
                "rows": {name: model.select().count() for name, model in counted.items()},
            }
    except (OSError, PeeweeException) as failure:
        return {"database": f"cannot be read: {type(failure).__name__}"}


def _describe_value(name: str, raw: str) -> str:
    """Return a setting that can't be an address or a secret; of others, only whether it's valid."""
    try:
        value = getattr(Settings.from_environ({name: raw}), name.lower(), None)
    except SettingsError:
        return "not valid"
    is_harmless = isinstance(value, (bool, int, timedelta, RateLimitItem))
    return raw if is_harmless or name in ("BACKGROUND", "LOG_FORMAT") else "set"
