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


def init_cli(app: Flask) -> None:
    for group in (
        database.group,
        owners.group,
        pages.group,
        keys.group,
        tags.group,
        wallets.group,
        submissions.group,
        balances.group,
        receivers.channels,
        receivers.webhooks,
    ):
        app.cli.add_command(group)
    for command in (
        doctor.doctor,
        receipts.export,
        page_files.export_file,
        page_files.import_file,
        backups.backup,
        backups.restore,
        backups.copy_to,
        deletion.prune,
        deletion.erase,
        database.version,
    ):
        app.cli.add_command(command)
