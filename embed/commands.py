"""Registers the operator's commands, which ``flask`` finds in the app."""

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
    worker,
)
from embed.demo import command as demo

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


def init_commands(app: Flask) -> None:
    for command in COMMANDS:
        app.cli.add_command(command)
