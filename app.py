"""The WSGI app that ``gunicorn app:app`` serves and in which ``flask`` finds its commands."""

import sys

from embed.factory import create_app
from embed.settings import Settings, SettingsError

try:
    app = create_app(Settings.from_environ())
except SettingsError as error:
    sys.exit(f"Error: {error}")
