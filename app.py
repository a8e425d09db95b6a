"""The WSGI app that ``gunicorn app:app`` serves and in which ``flask`` finds its commands."""

import sys

from embed.factory import create_app
from embed.logs.setup import set_up_logs
from embed.settings import Settings, SettingsError

try:
    settings = Settings.from_environ()
    set_up_logs(settings.log_format, settings.secrets)
    app = create_app(settings)
except SettingsError as error:
    sys.exit(f"Error: {error}")
