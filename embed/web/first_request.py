"""Makes what a new installation lacks at its first request: SQLite's tables and the secret key.

Importing the app or listing something with a command doesn't: the files would belong to the user
who ran it, such as root.
"""

import threading
from contextlib import suppress

from flask import Flask
from peewee import PeeweeException

from embed.db import schema_version
from embed.web.current import is_health_check, runtime
from embed.web.dashboard import use_secret_keys


def init_first_request(app: Flask) -> None:
    lock = threading.Lock()
    is_done = False

    @app.before_request
    def make_missing() -> None:
        nonlocal is_done
        if is_done or is_health_check():
            return
        with lock:
            if not is_done:
                use_secret_keys(app, runtime().secret_keys)
                with suppress(PeeweeException):  # only requests that need the database answer 503
                    schema_version.create_if_empty()
                    is_done = True
