"""The operator's commands, thin over the use cases."""

from flask import Flask

from embed.cli import database, keys, owners, pages, submissions, tags, wallets


def init_cli(app: Flask) -> None:
    for group in (
        database.group,
        owners.group,
        pages.group,
        keys.group,
        tags.group,
        wallets.group,
        submissions.group,
    ):
        app.cli.add_command(group)
