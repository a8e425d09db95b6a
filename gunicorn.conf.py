"""How gunicorn serves the app; every value can be overridden on its command line."""

import sys

from gunicorn.arbiter import Arbiter
from peewee import OperationalError

from embed import database
from embed.settings import Settings, SettingsError

try:
    _settings = Settings.from_environ()
except SettingsError as error:
    sys.exit(f"Error: {error}")

# One process, because limits in memory count per process; with Redis there may be more.
workers = 1
threads = 4
worker_class = "gthread"
# Which hops to believe is decided in one place, from TRUSTED_PROXIES.
forwarded_allow_ips = ""
# Long ids get the API's own answer instead of gunicorn's HTML.
limit_request_line = 8190
control_socket_disable = True


def on_starting(server: Arbiter) -> None:
    """Bring the database up to date before the first worker asks it.

    A database that is away stops nothing: requests answer 503 until it is back.
    """
    database.open_database(_settings.database_url)
    try:
        for name in database.upgrade():
            server.log.info("Database upgraded: %s", name)
    except OperationalError as error:
        server.log.warning("The database could not be brought up to date: %s", error)
    finally:
        database.db.close()
