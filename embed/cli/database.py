"""flask db"""

import click

from embed.db import connection
from embed.serializers import write_json
from embed.terminal import Group, json_option

group = Group("db", help="The database of this installation.")


@group.command("upgrade")
@json_option
def upgrade(as_json: bool) -> None:
    """Upgrade the database to this version; safe to run again."""
    applied = connection.upgrade()
    if as_json:
        click.echo(write_json({"applied": applied}))
    elif applied:
        click.echo(f"Applied: {', '.join(applied)}.")
    else:
        click.echo("The database is up to date.")
