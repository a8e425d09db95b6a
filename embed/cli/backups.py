"""flask backup, restore and copy-to"""

from collections.abc import Sequence
from pathlib import Path

import click
from peewee import PeeweeException

from embed.db.work_status import report_backup
from embed.maintenance.backups import TableSum, choose_path, delete_older_backups, make_backup
from embed.maintenance.restoring import check_restorable, copy_database, restore_backup
from embed.settings.values import parse_database_url
from embed.terminal import Command, check_confirmed, confirm_option, print_answer, runtime

_FILE = click.Path(path_type=Path)


@click.command("backup", cls=Command)
@click.argument("file", type=_FILE)
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    help="Keep only the newest N backups in the folder and delete the others.",
)
def backup(file: Path, keep: int | None) -> None:
    """Back up the database to a new file.

    The service can keep running. If FILE is a folder, the backup's name is the time, such as
    embed-2026-11-22T030412Z.db, and --keep deletes only files with such names. See docs/backups.md.
    """
    if keep is not None and not file.is_dir():
        raise click.UsageError(f"--keep needs a folder, and {file} is not a folder.")
    started_at = runtime().clock()
    made = make_backup(runtime().settings.database_url, choose_path(file, started_at))
    try:
        report_backup(started_at, runtime().clock())
    except PeeweeException as failure:  # such as a user with read-only access
        click.echo(f"The database did not take the time of this backup: {failure}", err=True)
    deleted = [] if keep is None else delete_older_backups(made.path, keep)
    text = (
        f"Saved {_count_rows(made.tables):,} rows in {made.path}, {made.size_bytes:,} bytes. Read"
        f" again, each of its {len(made.tables)} tables has the rows of the database.\n"
    )
    for path in deleted:
        text += f"Deleted {path}.\n"
    print_answer(
        {
            "file": str(made.path),
            "bytes": made.size_bytes,
            "tables": made.tables,
            "deletedFiles": [str(path) for path in deleted],
        },
        f"{text}Keep it secret. SECRET_KEY is not in it: keep that, too.",
    )


@click.command("restore", cls=Command)
@click.argument("file", type=_FILE)
@click.option(
    "--replace",
    "kept",
    type=_FILE,
    metavar="BACKUP",
    help="Replace a database that isn't empty, after backing it up to this new file. Needs --yes.",
)
@click.option(
    "--check", "only_checks", is_flag=True, help="Only check that FILE is complete and undamaged."
)
@confirm_option
def restore(file: Path, kept: Path | None, only_checks: bool, yes: bool) -> None:
    """Restore the database from a backup.

    Stop the service first, except for --check, which changes nothing. A database that isn't empty
    is refused without --replace. See docs/backups.md.
    """
    if only_checks:
        tables = check_restorable(file)
        print_answer(
            {"file": str(file), "tables": tables},
            f"{file} can be restored: all {_count_rows(tables):,} rows of {len(tables)} tables are"
            " as they were saved.",
        )
        return
    if kept is not None:
        check_confirmed(yes, "replaces everything that the database holds")
    restored = restore_backup(file, runtime().settings.database_url, kept=kept)
    saved = restored.kept and str(restored.kept.path)
    text = f"Restored and compared {_count_rows(restored.tables):,} rows. Start the service."
    if saved:
        text = f"Saved what the database held in {saved}.\n{text}"
    print_answer({"file": str(file), "replacedFile": saved, "tables": restored.tables}, text)


@click.command("copy-to", cls=Command)
@click.argument("url")
def copy_to(url: str) -> None:
    """Copy everything to another, empty database.

    Stop the service first. URL has the form of DATABASE_URL (docs/settings.md). The current
    database is upgraded to this version if it's older, and isn't changed otherwise.
    """
    try:
        target = parse_database_url(url)
    except ValueError as mistake:
        raise click.UsageError(f"URL {mistake}") from None
    tables = copy_database(runtime().settings.database_url, target)
    print_answer(
        {"tables": tables},
        f"Copied and compared {_count_rows(tables):,} rows of {len(tables)} tables.\n"
        "Set DATABASE_URL to the new address, and start the service.",
    )


def _count_rows(tables: Sequence[TableSum]) -> int:
    return sum(table.rows for table in tables)
