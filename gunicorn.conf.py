"""How gunicorn serves the app; every value can be overridden on its command line."""

import sys
import threading
import time
from contextlib import suppress
from typing import Any

from gunicorn.arbiter import Arbiter
from gunicorn.http.errors import ParseException
from peewee import DatabaseError, InterfaceError, OperationalError

from embed.db import connection
from embed.db.upgrades import upgrade_until_done
from embed.rate_limits.storages import check_storage
from embed.settings import Settings, SettingsError

try:
    settings = Settings.from_environ()
    connection.open_database(settings.database_url)
    check_storage(settings.ratelimit_storage_uri)
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

# How much of a body that the app left unread is taken in all the same, and for how long.
_DISCARDED_BYTES = 8 * 1024 * 1024
_DISCARD_STEP_BYTES = 64 * 1024
_DISCARD_S = 5.0


def on_starting(server: Arbiter) -> None:
    """Bring the database up to date before the first worker asks it.

    A database that is away stops nothing: requests answer 503 until it is back, and each
    worker goes on trying.
    """
    try:
        for name in connection.upgrade():
            server.log.info("Database upgraded: %s", name)
    except OperationalError as error:
        server.log.warning("The database could not be brought up to date: %s", error)
    except (DatabaseError, InterfaceError) as error:
        sys.exit(f"Error: DATABASE_URL names what cannot be used: {' '.join(str(error).split())}")
    finally:
        connection.db.close()


def post_worker_init(_worker: Any) -> None:
    """Bring up to date what was away at the start; nothing to do for any other database.

    A thread that ends with its worker: whatever it was doing is rolled back then.
    """
    threading.Thread(target=upgrade_until_done, name="upgrade", daemon=True).start()


def post_request(_worker: Any, request: Any, environ: dict[str, Any], _response: Any) -> None:
    """Take in a refused body: a client that is cut off while it sends may miss the answer."""
    if not (environ.get("CONTENT_LENGTH") or "HTTP_TRANSFER_ENCODING" in environ):
        return
    connection = environ["gunicorn.socket"]
    deadline = time.monotonic() + _DISCARD_S
    with suppress(OSError, ParseException):  # it stalls, has gone, or sends what is no body
        for _ in range(_DISCARDED_BYTES // _DISCARD_STEP_BYTES):
            connection.settimeout(max(deadline - time.monotonic(), 0.001))
            if not request.body.read(_DISCARD_STEP_BYTES):
                break
        connection.settimeout(None)
