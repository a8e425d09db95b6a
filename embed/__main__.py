"""``tracking-embed``, the installed package's program; it has the same commands as ``flask``."""

import click
from flask.cli import FlaskGroup

from embed import create_app


@click.group(cls=FlaskGroup, create_app=create_app, add_version_option=False, load_dotenv=False)
def main() -> None:
    """Lists of wallets that visitors put their own on: the service and its commands."""


if __name__ == "__main__":
    main(prog_name="tracking-embed")
