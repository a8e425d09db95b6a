"""Request counts and times by route, never by path, which holds ids and links."""

from time import perf_counter

from flask import Flask, Response, g, request

from embed.metrics import REQUEST_SECONDS, REQUESTS
from embed.settings import Settings

_METHODS = {"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"}


def init_metrics(app: Flask, settings: Settings) -> None:
    """Register before all other hooks, so their time and their refusals count."""
    if settings.metrics_bind is not None:
        app.before_request(_begin)
        app.after_request(_count)  # registered first, it runs last


def _begin() -> None:
    g.metrics_began_at = perf_counter()


def _count(response: Response) -> Response:
    # Clients can make up paths and methods, so all unknown ones count as one.
    route = request.url_rule.rule if request.url_rule else "unknown"
    method = request.method if request.method in _METHODS else "other"
    REQUESTS.labels(route, method, str(response.status_code)).inc()
    REQUEST_SECONDS.labels(route, method).observe(perf_counter() - g.metrics_began_at)
    return response
