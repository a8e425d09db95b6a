"""``tracking-embed``, the installed package's program; it has the same commands as ``flask``."""

import click
from flask import Flask
from flask.cli import FlaskGroup


def _load_app() -> Flask:
    # Imported here, since importing it creates the app.
    from embed.wsgi import app

    return app


@click.group(cls=FlaskGroup, create_app=_load_app, add_version_option=False, load_dotenv=False)
def main() -> None:
    """Lists of wallets that visitors put their own on: the service and its commands."""


if __name__ == "__main__":
    main(prog_name="tracking-embed")
