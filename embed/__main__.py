"""``tracking-embed``, the installed package's program: the same commands as those of ``flask``."""

import click
from flask import Flask
from flask.cli import FlaskGroup

from embed.commands import SECTIONS


class Program(FlaskGroup):
    """Finds its app by itself, and lists its commands by what they are for."""

    def _load_plugin_commands(self) -> None:
        """Do without Flask-Limiter's, which takes as long to import as all of Flask."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = {title: list(names) for title, names in SECTIONS.items()}
        of_service = {name for names in sections.values() for name in names}
        sections["Flask's own"] = [
            name for name in self.list_commands(ctx) if name not in of_service
        ]
        for title, names in sections.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(
                    [(name, one.get_short_help_str(limit=100)) for name, one in commands if one]
                )


def _load_app() -> Flask:
    # Imported here, as it makes the whole app unless a command is looked up.
    from embed.wsgi import app

    return app


main = Program(
    name="tracking-embed",
    help="Lists of wallets that visitors put their own on: the service and its commands.",
    create_app=_load_app,
    add_version_option=False,
    context_settings={"max_content_width": 100},
)
main.params.clear()  # --app and --env-file, of no use here

if __name__ == "__main__":
    main(prog_name="tracking-embed")
