"""flask serve"""

import os
import sys
import sysconfig

import click

from embed.settings import PROJECT_DIR
from embed.terminal import Command, runtime


@click.command(
    "serve",
    cls=Command,
    speaks_json=False,
    context_settings={"ignore_unknown_options": True},
    options_metavar="[GUNICORN'S OPTIONS]...",
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="")
def serve(options: tuple[str, ...]) -> None:
    """Serve with gunicorn, whose options may follow.

    It listens on 127.0.0.1:8000 unless told otherwise, as by --bind 0.0.0.0:8000.
    """
    folder = runtime().settings.instance_dir
    click.echo(f"What it makes for itself is kept in {folder} (INSTANCE_DIR).", err=True)
    gunicorn = sysconfig.get_path("scripts") + "/gunicorn"
    config = str(PROJECT_DIR / "gunicorn.conf.py")
    command = [sys.executable, gunicorn, "--config", config, "embed.wsgi:app", *options]
    os.execv(sys.executable, command)  # noqa: S606 -- our own command line
