"""The operator's commands, which ``flask`` finds in the app."""

from flask import Flask

from embed.cli import (
    backups,
    balances,
    blocks,
    database,
    deletion,
    doctor,
    keys,
    owners,
    page_files,
    pages,
    people,
    receipts,
    receivers,
    serving,
    submissions,
    tags,
    wallets,
)
from embed.demo import command as demo
from embed.worker import command as worker

COMMANDS = (
    pages.group,
    wallets.group,
    tags.group,
    submissions.group,
    blocks.group,
    keys.group,
    balances.group,
    owners.group,
    people.group,
    receivers.channels,
    receivers.webhooks,
    demo.command,
    serving.serve,
    worker.group,
    doctor.doctor,
    database.version,
    database.group,
    backups.backup,
    backups.restore,
    backups.copy_to,
    page_files.export_file,
    page_files.import_file,
    receipts.export,
    deletion.erase,
    deletion.prune,
)


def init_commands(app: Flask) -> None:
    for command in COMMANDS:
        app.cli.add_command(command)
