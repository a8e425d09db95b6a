"""The service's side of flask doctor: how a request of that command arrived, and was answered."""

from typing import Any, cast

import msgspec
from flask import Flask, Response, request

from embed import __version__
from embed.doctor.probe import ANSWER_HEADERS, HEADER, REQUEST_HEADERS, Probe, ProbeSigner, Report
from embed.domain.times import Clock
from embed.settings import Settings
from embed.web.security_headers import allow_isolated_hosts
from embed.web.visitor import renew_session
from embed.web.widget.blueprint import respond

_SITE = "https://site.example"  # a policy as the widget's, which names sites


def init_probe(app: Flask, settings: Settings, clock: Clock) -> None:
    """Answer requests with a valid token at any path, before all checks; ignore other tokens."""
    signer = ProbeSigner(settings.secret_keys, clock)

    @app.before_request
    def answer_probe() -> Response | None:
        token = request.headers.get(HEADER)
        probe = None if token is None else signer.read(token, settings)
        if probe is None:
            return None
        answer = cast(_Answer, _Answer.force_type(respond("", ancestors=f"'self' {_SITE}")))
        answer.probe = probe
        allow_isolated_hosts(answer)
        renew_session(answer)
        return answer


class _Answer(Response):
    """Reports the headers that it is sent with."""

    probe: Probe

    def get_wsgi_response(self, environ: Any) -> Any:
        self.set_data(msgspec.json.encode(_report(self.probe, self)))
        self.content_type = "application/json"
        return super().get_wsgi_response(environ)


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
