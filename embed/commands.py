"""Registers the operator's commands, which ``flask`` finds in the app."""

from typing import NoReturn

import click
from flask import Flask

from embed.cli import (
    backups,
    balances,
    blocks,
    deletion,
    installation,
    keys,
    pages,
    people,
    receivers,
    submissions,
    tags,
    wallets,
)
from embed.demo import command as demo
from embed.worker import command as worker

# In the same order as in docs/commands.md.
COMMANDS = (
    demo.command,
    installation.serve,
    installation.doctor,
    installation.version,
    installation.database,
    backups.backup,
    backups.restore,
    backups.copy_to,
    worker.group,
    deletion.prune,
    deletion.erase,
    people.owners,
    people.people,
    pages.group,
    keys.group,
    wallets.group,
    tags.group,
    balances.group,
    submissions.group,
    submissions.export_receipts,
    blocks.group,
    receivers.channels,
    receivers.webhooks,
)


# Commands that version 0.6.0 had, and what to do instead.
GONE_COMMANDS = {
    "export": "Use flask backup, or save a page's wallets as CSV in the dashboard.",
    "import": "Use flask restore, or flask wallets import for a CSV file of wallets.",
}


def init_commands(app: Flask) -> None:
    for command in COMMANDS:
        app.cli.add_command(command)
    for name, advice in GONE_COMMANDS.items():
        app.cli.add_command(_refuse_gone(name, advice))


def _refuse_gone(name: str, advice: str) -> click.Command:
    def refuse() -> NoReturn:
        raise click.ClickException(f"flask {name} is gone. {advice}")

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, context_settings=anything, callback=refuse, hidden=True)
