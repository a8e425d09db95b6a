"""flask db and flask version"""

import platform

import click
from peewee import PeeweeException

from embed import __version__
from embed.db import schema_version
from embed.db.connection import read_server_version
from embed.db.schema_version import list_applied_migrations, list_migrations
from embed.terminal import Command, Group, print_answer

group = Group("db", help="The database of this installation.")


@group.command("upgrade")
def upgrade() -> None:
    """Upgrade the database to this version; safe to run again."""
    applied = schema_version.upgrade()
    text = f"Applied: {', '.join(applied)}." if applied else "The database is up to date."
    print_answer({"applied": applied}, text)


@group.command("downgrade", hidden=True)
def downgrade() -> None:
    """Gone: go back by restoring the backup from before the upgrade."""
    raise click.ClickException(
        "flask db downgrade is gone: restore the backup from before the upgrade."
    )


@click.command("version", cls=Command)
def version() -> None:
    """Show which version this is, and which one the database has."""
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
    """Return the kind and version of the database, None if it does not answer; its migrations."""
    try:
        return read_server_version(), list_applied_migrations()
    except PeeweeException:
        return None, []
