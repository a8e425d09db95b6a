"""The operator's commands, thin over the use cases."""

from flask import Flask

from embed.cli import (
    balances,
    channels,
    database,
    erase,
    keys,
    owners,
    pages,
    receipts,
    submissions,
    tags,
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
    app.cli.add_command(receipts.export)
    app.cli.add_command(erase.erase)
