"""The operator's commands, thin over the use cases."""

from flask import Flask

from embed.cli import (
    backups,
    balances,
    database,
    deletion,
    doctor,
    keys,
    owners,
    page_files,
    pages,
    receipts,
    receivers,
    submissions,
    tags,
    wallets,
)

COMMANDS = (
    backups.backup,
    backups.copy_to,
    backups.restore,
    balances.group,
    database.group,
    database.version,
    deletion.erase,
    deletion.prune,
    doctor.doctor,
    keys.group,
    owners.group,
    page_files.export_file,
    page_files.import_file,
    pages.group,
    receipts.export,
    receivers.channels,
    receivers.webhooks,
    submissions.group,
    tags.group,
    wallets.group,
)


def init_cli(app: Flask) -> None:
    for command in COMMANDS:
        app.cli.add_command(command)
