"""The front door: ``gunicorn app:app``, and where ``flask`` finds its commands."""

import sys

from embed.factory import create_app
from embed.settings import Settings, SettingsError

try:
    app = create_app(Settings.from_environ())
except SettingsError as error:
    sys.exit(f"Error: {error}")
