"""The WSGI app that ``gunicorn app:app`` serves and in which ``flask`` finds its commands."""

import sys

from embed.factory import create_app, create_doctor_app
from embed.logs.lines import set_up_logs
from embed.settings import Settings, SettingsError

if sys.argv[1:2] == ["doctor"]:
    # It also says what is wrong where the settings are not valid, and leaves no files behind.
    app = create_doctor_app()
else:
    try:
        settings = Settings.from_environ()
        set_up_logs(settings.log_format, settings.secrets)
        app = create_app(settings)
    except SettingsError as error:
        sys.exit(f"Error: {error}")
