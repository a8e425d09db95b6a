"""flask prune"""

import click
from flask.cli import with_appcontext

from embed.maintenance.pruning import prune, summarize
from embed.serializers import write_json
from embed.terminal import Command, json_option, runtime


@click.command("prune", cls=Command)
@json_option
@with_appcontext
def command(as_json: bool) -> None:
    """Delete what is old, as the background work does every hour."""
    pruned = prune(runtime().clock(), runtime().settings.balance_history)
    if as_json:
        rows = [{"kind": kind, "deleted": count} for kind, count in pruned.items()]
        click.echo(write_json(rows))
    else:
        click.echo(summarize(pruned))
