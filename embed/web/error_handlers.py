"""Error responses: JSON for the API, a small HTML page elsewhere, translated for visitors only."""

import math
import re
from datetime import timedelta

import peewee
from flask import Flask, Response, current_app, render_template, request
from flask_limiter import RateLimitExceeded
from werkzeug.exceptions import HTTPException

from embed.db.connection import db
from embed.db.schema_version import is_schema_missing
from embed.errors import ApiError
from embed.metrics import REFUSALS
from embed.serializers import write_json
from embed.settings import SettingsError
from embed.web.api.cors import share
from embed.web.current import is_api_request, is_dashboard_request, runtime
from embed.web.look import read_look
from embed.web.rate_limits import make_clients_refusal
from embed.web.security_headers import allow_isolated_hosts, isolate

_CODE_BY_STATUS = {404: "not_found", 405: "method_not_allowed"}
# Paths outside of the API that programs read. Any site's scripts may read counts.
_RECEIPT_PATH = re.compile("/embed/tracking/[^/]+/receipts/")
_COUNTS_PATH = re.compile("/embed/page/[^/]+/count[.]json")
_DATABASE_RETRY_AFTER = timedelta(seconds=5)


def init_error_handlers(app: Flask) -> None:
    app.register_error_handler(ApiError, render_refusal)
    app.register_error_handler(RateLimitExceeded, lambda _: render_refusal(make_clients_refusal()))
    app.register_error_handler(HTTPException, _render_http_exception)
    app.register_error_handler(SettingsError, _render_unusable_setting)
    app.register_error_handler(peewee.OperationalError, _render_database_away)
    app.register_error_handler(peewee.InterfaceError, _render_database_away)
    app.register_error_handler(peewee.DatabaseError, _render_refused_statement)
    app.register_error_handler(Exception, _render_bug)


def render_refusal(refusal: ApiError) -> Response:
    """Answer with JSON for the API, receipts and counts, elsewhere with a page without a cookie."""
    REFUSALS.labels(refusal.code).inc()
    is_counts = _COUNTS_PATH.fullmatch(request.path) is not None
    is_for_programs = is_counts or _RECEIPT_PATH.match(request.path) is not None
    is_json = is_for_programs or is_api_request()
    response = _as_json(refusal) if is_json else _as_page(refusal)
    if is_for_programs:
        # Otherwise caches may store a 404, though the wallet or the page may soon be public.
        response.headers["Cache-Control"] = "private, no-store"
    if is_counts:
        response.headers["Access-Control-Allow-Origin"] = "*"
    if refusal.retry_after is not None:
        seconds = math.ceil(refusal.retry_after.total_seconds())
        response.headers["Retry-After"] = str(max(1, seconds))
    if request.url_rule is None:  # an unknown path or method, for which no blueprint adds headers
        if is_api_request():
            return share(response)
        if is_dashboard_request():
            isolate(response)
    return response


def _as_json(refusal: ApiError) -> Response:
    body = write_json({"error": refusal.code} | refusal.details)
    return Response(body, refusal.status, content_type="application/json")


def _as_page(refusal: ApiError) -> Response:
    shown = {"code": refusal.code, "status": refusal.status}
    if f"{request.path}/".startswith("/embed/"):
        html = render_template("widget/refusal.html", **shown, look=read_look())
    else:  # a page with a way back, made without the database or a cookie
        html = render_template(
            "front/refusal.html",
            **shown,
            is_dashboard=is_dashboard_request(),
            has_front_page=runtime().settings.front_page,
        )
    response = Response(html, refusal.status)
    policy = response.content_security_policy
    policy.default_src = policy.base_uri = policy.form_action = "'none'"
    policy.style_src = "'self'"
    policy.img_src = "'self'"  # its icon
    if request.path.startswith(("/embed/tracking/", "/embed/page/")):  # sites show these
        allow_isolated_hosts(response)
    else:
        policy.frame_ancestors = "'none'"
    response.headers["Referrer-Policy"] = "strict-origin"
    response.headers["Cache-Control"] = "no-store"
    return response


def _render_http_exception(error: HTTPException) -> Response | HTTPException:
    """Give errors of Werkzeug and Flask the API's form, and keep their Allow header."""
    status = error.code or 500
    if status < 400:
        return error
    code = _CODE_BY_STATUS.get(status, "bad_request" if status < 500 else "internal_error")
    response = render_refusal(ApiError(code))
    if allowed := dict(error.get_headers()).get("Allow"):
        response.headers["Allow"] = allowed
    return response


def _render_database_away(error: Exception) -> Response:
    current_app.logger.error("The database cannot answer: %s", error)
    db.close()  # the next request connects again, perhaps to another server at this address
    return render_refusal(ApiError("unavailable", retry_after=_DATABASE_RETRY_AFTER))


def _render_unusable_setting(error: SettingsError) -> Response:
    """Answer 503 while the first request can't make a file, such as the secret key's."""
    current_app.logger.error("%s", error)
    return render_refusal(ApiError("unavailable", retry_after=_DATABASE_RETRY_AFTER))


def _render_refused_statement(error: peewee.DatabaseError) -> Response:
    """Answer 503 if the database is not upgraded yet, or is garbage; anything else is a bug."""
    is_garbage = type(error) is peewee.DatabaseError  # what SQLite raises for its file
    is_away = is_garbage or is_schema_missing(error)
    return _render_database_away(error) if is_away else _render_bug(error)


def _render_bug(error: Exception) -> Response:
    # Log the rule, not the path, which may contain a one-time link.
    current_app.logger.exception("Unexpected failure of %s %s", request.method, request.url_rule)
    return render_refusal(ApiError("internal_error"))
