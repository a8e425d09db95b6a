"""The service's side of flask doctor: how a request of that command arrived, and was answered."""

import msgspec
from flask import Flask, Response, g, request

from embed import __version__
from embed.doctor.probe import (
    ANSWER_HEADERS,
    HEADER,
    REQUEST_HEADERS,
    Probe,
    ProbeSigner,
    Report,
)
from embed.domain.times import Clock
from embed.settings import Settings
from embed.web.security_headers import allow_isolated_hosts
from embed.web.visitor import renew_session
from embed.web.widget.blueprint import respond

_SITE = "https://site.example"  # a policy as the widget's, which names sites


def init_probe(app: Flask, settings: Settings, clock: Clock) -> None:
    """Answer requests with a valid token at any path, before all checks; ignore other tokens."""
    signer = ProbeSigner(settings.secret_keys, clock)

    def answer_probe() -> Response | None:
        token = request.headers.get(HEADER)
        probe = None if token is None else signer.read(token, settings)
        if probe is None:
            return None
        g.probe = probe
        response = respond("", ancestors=f"'self' {_SITE}")
        allow_isolated_hosts(response)
        renew_session(response)
        return response

    # Registered before all others that change answers, it runs after them and sees all headers.
    @app.after_request
    def write_report(response: Response) -> Response:
        probe: Probe | None = g.get("probe")
        if probe is not None:
            response.set_data(msgspec.json.encode(_report(probe, response)))
            response.content_type = "application/json"
        return response

    app.before_request(answer_probe)


def _report(probe: Probe, response: Response) -> Report:
    forwarded_for = request.headers.get("X-Forwarded-For", "")
    return Report(
        probe_id=probe.id,
        version=__version__,
        scheme=request.scheme,
        host=request.headers.get("Host", ""),
        forwarded_for=[each.strip() for each in forwarded_for.split(",") if each.strip()],
        received={name: request.headers.get(name) for name in REQUEST_HEADERS},
        sent=[(name, value) for name, value in response.headers if name in ANSWER_HEADERS],
        differing=probe.differing,
    )
