"""The operator's commands, thin over the use cases."""

from flask import Flask

from embed.cli import (
    backups,
    balances,
    channels,
    database,
    doctor,
    erase,
    keys,
    owners,
    page_files,
    pages,
    pruning,
    receipts,
    submissions,
    tags,
    version,
    wallets,
    webhooks,
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
        channels.group,
        webhooks.group,
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
        pruning.command,
        erase.erase,
        version.command,
    ):
        app.cli.add_command(command)
