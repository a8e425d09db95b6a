"""flask db"""

import click

from embed.db import schema_version
from embed.serializers import write_json
from embed.terminal import Group, check_confirmed, confirm_option, json_option

group = Group("db", help="The database of this installation.")


@group.command("upgrade")
@json_option
def upgrade(as_json: bool) -> None:
    """Upgrade the database to this version; safe to run again."""
    applied = schema_version.upgrade()
    if as_json:
        click.echo(write_json({"applied": applied}))
    elif applied:
        click.echo(f"Applied: {', '.join(applied)}.")
    else:
        click.echo("The database is up to date.")


@group.command("downgrade")
@confirm_option
@json_option
def downgrade(yes: bool, as_json: bool) -> None:
    """Undo the newest migration, while the service is stopped, to go back to the version before.

    What only this version keeps is lost.
    """
    name, lost = schema_version.find_revertible()
    check_confirmed(yes, f"undoes {name}; lost: {lost}")
    schema_version.downgrade(name)
    if as_json:
        click.echo(write_json({"reverted": name, "lost": lost}))
    else:
        click.echo(f"Undone: {name}. Lost: {lost}. Now install the version before.")
