"""What health checks ask for: yes or no, and no more, as strangers may ask, too."""

from datetime import timedelta

from flask import Flask, Response

from embed.monitoring.readiness import Readiness
from embed.web.current import runtime

_RETRY_AFTER = timedelta(seconds=5)


def init_health(app: Flask) -> None:
    readiness = Readiness()

    @app.get("/healthz")
    def healthz() -> Response:
        """Say that this process answers, without asking anything else."""
        return _answer(is_well=True)

    @app.get("/readyz")
    def readyz() -> Response:
        return _answer(is_well=readiness.is_ready(runtime().clock()))


def _answer(*, is_well: bool) -> Response:
    response = Response("yes\n" if is_well else "no\n", mimetype="text/plain")
    response.headers["Cache-Control"] = "no-store"
    if not is_well:
        response.status_code = 503
        response.headers["Retry-After"] = str(int(_RETRY_AFTER.total_seconds()))
    return response
