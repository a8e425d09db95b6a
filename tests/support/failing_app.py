"""The service with a bug, whose error quotes all that the request carries: a gunicorn app."""

import logging
import warnings

from flask import Flask, request

from embed.factory import create_app
from embed.settings import Settings

PATH = "/embed/api/bug"
_log = logging.getLogger("some.library")


def create() -> Flask:
    app = create_app(Settings.from_environ())
    app.add_url_rule(PATH, view_func=_fail, methods=["POST"])
    return app


def _fail() -> None:
    carried = [request.url, request.remote_addr, *request.headers.values(), *request.form.values()]
    carried += [*request.cookies.values(), request.environ.get("werkzeug.proxy_fix.orig")]
    _log.warning("A library says: %s", carried)
    warnings.warn(f"Python warns of: {carried}", stacklevel=1)
    raise ValueError(carried, request.get_data(as_text=True))
