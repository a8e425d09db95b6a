"""The WSGI app that ``gunicorn app:app`` serves and in which ``flask`` finds its commands."""

import sys

from embed.factory import create_app, create_doctor_app
from embed.settings import Settings, SettingsError

if sys.argv[1:2] == ["doctor"]:
    # It also says what is wrong where the settings are not valid, and leaves no files behind.
    app = create_doctor_app()
else:
    try:
        app = create_app(Settings.from_environ())
    except SettingsError as error:
        sys.exit(f"Error: {error}")
