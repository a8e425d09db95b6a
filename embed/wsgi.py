"""The WSGI app that servers serve, and in which ``flask`` finds its commands."""

import sys

from embed.commands import create_commands_app, is_command_looked_up
from embed.logs.lines import set_up_logs
from embed.settings import Settings, SettingsError

if is_command_looked_up():
    app = create_commands_app()
else:
    from embed.factory import create_app

    try:
        settings = Settings.from_environ().with_secret_key()
        set_up_logs(settings.log_format, settings.secrets)
        app = create_app(settings)
    except SettingsError as error:
        sys.exit(f"Error: {error}")
