"""``flask demo``: a sample page, and a visitor who submits a wallet over HTTP."""

from flask import Flask

from embed.demo import command

WALLET_SCRIPTS = ("demo/wallet.js",)  # a test wallet, for the demo's own server only


def init_demo(app: Flask) -> None:
    app.cli.add_command(command.command)
