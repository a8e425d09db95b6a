"""The WSGI app for servers, and for ``flask``, which finds its commands there."""

import os
import sys

import click
from flask import Flask
from flask.cli import FlaskGroup

from embed.commands import init_commands
from embed.factory import create_app
from embed.logs.lines import set_up_logs
from embed.runtime import EXTENSION
from embed.settings import Settings, SettingsError


def is_command_looked_up() -> bool:
    """Return whether ``flask`` is looking up one of our commands, or listing them.

    Flask's own commands, such as run and routes, load the app in their own context.
    """
    context = click.get_current_context(silent=True)
    return context is not None and isinstance(context.command, FlaskGroup)


def load_app() -> Flask:
    """Create the app with the environment's settings.

    For a command, it doesn't create the secret key's file, which could get a user other than the
    service's. If a setting isn't valid, every command says so, and doctor says what to do.
    """
    is_command = is_command_looked_up()
    try:
        settings = Settings.from_environ()
        if not is_command or (settings.key_file and os.access(settings.key_file, os.R_OK)):
            settings = settings.with_secret_key()
        set_up_logs(settings.log_format, settings.secrets)
        return create_app(settings)
    except SettingsError as error:
        if not is_command:
            sys.exit(f"Error: {error}")
        app = Flask("embed", static_folder=None)
        app.extensions[EXTENSION] = error
        init_commands(app)
        return app


app = load_app()
