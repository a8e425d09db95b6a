"""The operator's commands: what they are called, and where each is, which is imported when it runs.

Most commands need few of the service's parts, and importing all of them takes longer than most
commands do.
"""

from typing import Any, NoReturn

import click
from flask import Flask
from flask.cli import FlaskGroup, ScriptInfo
from werkzeug.utils import import_string

from embed.db.connection import open_database
from embed.domain import times
from embed.logs.lines import set_up_logs
from embed.rate_limits.storages import open_storage, translate_storage_errors
from embed.runtime import EXTENSION, Runtime
from embed.settings import Settings, SettingsError

# By what they are for: where each command is, and the first sentence of its help.
SECTIONS = {
    "Pages and what is on them": {
        "pages": ("embed.cli.pages:group", "Tracking pages and their policy."),
        "wallets": ("embed.cli.wallets:group", "Wallets that a page tracks."),
        "tags": ("embed.cli.tags:group", "Tags for a page's wallets."),
        "submissions": (
            "embed.cli.submissions:group",
            "What visitors sent, and the owner's decisions.",
        ),
        "blocks": (
            "embed.cli.blocks:group",
            "What a page, or all pages of an owner, keep out: the deny list.",
        ),
        "keys": ("embed.cli.keys:group", "Bearer keys, each for one page."),
        "balances": ("embed.cli.balances:group", "Balances read from the chain."),
    },
    "People and messages": {
        "owners": ("embed.cli.owners:group", "People who own tracking pages."),
        "people": ("embed.cli.people:group", "Who may use a page besides its owner."),
        "channels": (
            "embed.cli.receivers:channels",
            "E-mail addresses, chats and phones that are told what happens on a page.",
        ),
        "webhooks": (
            "embed.cli.receivers:webhooks",
            "Servers of yours that are told what happens on a page.",
        ),
    },
    "The service": {
        "demo": (
            "embed.demo.command:command",
            "Create a sample page, serve it, act as two visitors, and keep serving.",
        ),
        "serve": ("embed.cli.serving:serve", "Serve with gunicorn, whose options may follow."),
        "worker": ("embed.worker.command:group", "Do the background work until stopped."),
        "doctor": (
            "embed.cli.doctor:doctor",
            "Say what is wrong with this installation, and what to do; changes nothing.",
        ),
        "version": (
            "embed.cli.database:version",
            "Show which version this is, and which one the database has.",
        ),
        "db": ("embed.cli.database:group", "The database of this installation."),
    },
    "Data": {
        "backup": (
            "embed.cli.backups:backup",
            "Save the whole database in a new file, while the service runs.",
        ),
        "restore": (
            "embed.cli.backups:restore",
            "Fill the database from a backup, while the service is stopped.",
        ),
        "copy-to": (
            "embed.cli.backups:copy_to",
            "Copy everything into an empty database, while the service is stopped.",
        ),
        "export-receipts": (
            "embed.cli.receipts:export",
            "Print the receipts of all proved wallets on a page's public list, as JSON.",
        ),
        "erase": (
            "embed.cli.deletion:erase",
            "Show what is kept of a wallet on all pages; with --yes, erase it.",
        ),
        "prune": (
            "embed.cli.deletion:prune",
            "Delete what is old, as the background work does every hour.",
        ),
    },
}
COMMANDS = {name: place for section in SECTIONS.values() for name, place in section.items()}
# Commands of version 0.6.0 that are gone, with what to do instead.
GONE_COMMANDS = {
    "export": "Use flask backup, or save a page's wallets as CSV in the dashboard.",
    "import": "Use flask restore, or flask wallets import for a CSV file of wallets.",
}
# They say what is wrong with settings that are not valid, and leave no files behind.
WITHOUT_SETTINGS = {"doctor"}


def load_command(name: str) -> click.Command:
    place, _ = COMMANDS[name]
    command: click.Command = import_string(place)
    return command


class LazyCommand(click.Command):
    """Stands for a command until that is called."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return a context of the command itself, which click then runs."""
        if parent is not None and self.name not in WITHOUT_SETTINGS:
            _prepare(parent.ensure_object(ScriptInfo).load_app())
        return load_command(str(self.name)).make_context(info_name, args, parent, **extra)


def _prepare(app: Flask) -> None:
    """Read the settings, unless the app has them. Raises click.ClickException for wrong ones."""
    if EXTENSION in app.extensions:
        return
    try:
        settings = Settings.from_environ()
        set_up_logs(settings.log_format, settings.secrets)
        _ = app.logger  # created now, so that loggers below "embed" get its handler and format
        open_database(settings.database_url)
        with translate_storage_errors():
            open_storage(settings.ratelimit_storage_uri)
    except SettingsError as error:
        raise click.ClickException(str(error)) from None
    app.extensions[EXTENSION] = Runtime(settings=settings, clock=times.now)


def create_commands_app() -> Flask:
    """Make what commands run in: it serves nothing, and has settings once a command is called."""
    app = Flask("embed", static_folder=None)
    init_commands(app)
    return app


def init_commands(app: Flask) -> None:
    for name, (_, first_sentence) in COMMANDS.items():
        app.cli.add_command(LazyCommand(name, help=first_sentence))
    for name, advice in GONE_COMMANDS.items():
        app.cli.add_command(_refuse_gone(name, advice))


def _refuse_gone(name: str, advice: str) -> click.Command:
    def refuse() -> NoReturn:
        raise click.ClickException(f"flask {name} is gone. {advice}")

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, context_settings=anything, callback=refuse, hidden=True)


def is_command_looked_up() -> bool:
    """Tell whether ``flask`` looks for a command of ours, or lists them.

    Flask's own commands, such as run and routes, load the app in a context of their own.
    """
    context = click.get_current_context(silent=True)
    return context is not None and isinstance(context.command, FlaskGroup)
