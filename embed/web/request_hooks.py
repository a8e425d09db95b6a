"""Hooks of every request: its id, headers and counts, and what the first one makes."""

import re
import threading
from contextlib import suppress
from time import perf_counter

from flask import Flask, Response, g, request
from peewee import PeeweeException

from embed.db import schema_version
from embed.domain.identifiers import is_id
from embed.logs.context import (
    PAGE_ID,
    REQUEST_ID_HEADER,
    ROUTE,
    begin_request,
    find_context,
    make_request_id,
)
from embed.metrics import REQUEST_SECONDS, REQUESTS
from embed.settings import Settings
from embed.web.current import is_health_check, runtime
from embed.web.dashboard import use_secret_keys
from embed.web.security_headers import add_security_headers

# A UUID, nginx's $request_id and the like, but neither a key nor an address.
_FORM = re.compile(r"[0-9A-Za-z-]{8,64}")
_METHODS = {"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"}


def init_request_ids(app: Flask, settings: Settings) -> None:
    """Put an id in every line logged during a request, and in the answer, with security headers.

    Register before all other hooks, so their lines and their refusals have it.
    """

    @app.before_request
    def begin() -> None:
        given = request.headers.get(REQUEST_ID_HEADER, "") if settings.trusted_proxies else ""
        begin_request(given if _FORM.fullmatch(given) else make_request_id(), request.environ)

    @app.after_request
    def finish(response: Response) -> Response:
        path, rule, environ = request.path, request.url_rule, request.environ
        if rule is not None:  # for the access log, since Flask forgets it at the end
            environ[ROUTE] = rule.rule
            page_id = (request.view_args or {}).get("page_id", "")
            if is_id(page_id):
                environ[PAGE_ID] = page_id
        # Caches store static files, where the id would be another request's.
        if not (response.status_code == 200 and path.startswith("/static/")):
            response.headers[REQUEST_ID_HEADER] = find_context().request_id
        add_security_headers(response, path, settings.public_url or "")
        return response


def init_metrics(app: Flask, settings: Settings) -> None:
    """Count requests and their times by route, never by path, which holds ids and links.

    Register before all other hooks but the ids', so their time and their refusals count.
    """
    if settings.metrics_bind is not None:
        app.before_request(_start_timer)
        app.after_request(_count_request)  # registered first, it runs last


def _start_timer() -> None:
    g.metrics_began_at = perf_counter()


def _count_request(response: Response) -> Response:
    # Clients can make up paths and methods, so all unknown ones count as one.
    route = request.url_rule.rule if request.url_rule else "unknown"
    method = request.method if request.method in _METHODS else "other"
    REQUESTS.labels(route, method, str(response.status_code)).inc()
    REQUEST_SECONDS.labels(route, method).observe(perf_counter() - g.metrics_began_at)
    return response


def init_first_request(app: Flask) -> None:
    """Make what a new installation lacks at its first request: SQLite's tables and the secret key.

    Importing the app doesn't, nor do commands that list something: the files would belong to the
    user who ran it, such as root.
    """
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
