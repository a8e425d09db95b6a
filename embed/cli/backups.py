"""flask backup, restore and copy-to"""

from collections.abc import Sequence
from pathlib import Path

import click
from flask.cli import with_appcontext

from embed.maintenance.backups import make_backup
from embed.maintenance.copying import TableSum
from embed.maintenance.restoring import copy_database, restore_backup
from embed.serializers import write_json
from embed.settings import SettingsError
from embed.settings.urls import parse_database_url
from embed.terminal import (
    Command,
    JsonObject,
    check_confirmed,
    confirm_option,
    json_option,
    runtime,
)

_FILE = click.Path(path_type=Path)


@click.command("backup", cls=Command)
@click.argument("file", type=_FILE)
@json_option
@with_appcontext
def backup(file: Path, as_json: bool) -> None:
    """Save the whole database in a new file, while the service runs."""
    made = make_backup(runtime().settings.database_url, file)
    if as_json:
        _print_json(file=str(file), bytes=made.size_bytes, tables=_describe(made.tables))
        return
    click.echo(f"Saved {made.rows:,} rows in {file}, {made.size_bytes:,} bytes.")
    click.echo("Keep it secret. SECRET_KEY is not in it: keep that, too.")


@click.command("restore", cls=Command)
@click.argument("file", type=_FILE)
@click.option(
    "--replace",
    "kept",
    type=_FILE,
    help="Replace what the database holds, after saving it in this new file.",
)
@confirm_option
@json_option
@with_appcontext
def restore(file: Path, kept: Path | None, yes: bool, as_json: bool) -> None:
    """Fill the database from a backup, while the service is stopped."""
    if kept is not None:
        check_confirmed(yes, "replaces everything that the database holds")
    restored = restore_backup(file, runtime().settings.database_url, kept=kept)
    saved = restored.kept and str(restored.kept.path)
    if as_json:
        _print_json(file=str(file), replacedFile=saved, tables=_describe(restored.tables))
        return
    if saved:
        click.echo(f"Saved what the database held in {saved}.")
    click.echo(f"Restored and compared {_count_rows(restored.tables):,} rows. Start the service.")


@click.command("copy-to", cls=Command)
@click.argument("url")
@json_option
@with_appcontext
def copy_to(url: str, as_json: bool) -> None:
    """Copy everything into an empty database, while the service is stopped.

    URL has the form of DATABASE_URL.
    """
    try:
        target = parse_database_url({"DATABASE_URL": url})
    except SettingsError as mistake:
        raise click.UsageError(str(mistake).replace("DATABASE_URL", "URL", 1)) from None
    tables = copy_database(runtime().settings.database_url, target)
    if as_json:
        _print_json(tables=_describe(tables))
        return
    click.echo(f"Copied and compared {_count_rows(tables):,} rows of {len(tables)} tables.")
    click.echo("Set DATABASE_URL to the new address, and start the service.")


def _count_rows(tables: Sequence[TableSum]) -> int:
    return sum(table.rows for table in tables)


def _describe(tables: Sequence[TableSum]) -> list[JsonObject]:
    return [{"table": each.table, "rows": each.rows, "checksum": each.checksum} for each in tables]


def _print_json(**fields: object) -> None:
    click.echo(write_json(fields))
