"""Check of the service at its public address: flask doctor asks it as a visitor would."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import msgspec

from embed import __version__
from embed.doctor import proxy
from embed.doctor.findings import Finding, NotChecked, quote
from embed.doctor.probe import HEADER, ProbeSigner, Report
from embed.doctor.variables import Installation
from embed.domain.times import Clock
from embed.outbound.http import Answer, CertificateRefused, Client, RequestFailed
from embed.outbound.reach import Reach

WIDGET_PATH = "/embed/tracking/doctor"  # no page has this id
API_PATH = "/api/embed/tracking/doctor"
SUBMISSION_PATH = "/api/embed/submissions"
FORM_PATH = "/dashboard/doctor"

_TIMEOUT_S, _FILE_TIMEOUT_S = 8.0, 10.0
_MAX_ANSWER_BYTES = 1024 * 1024
# As much as the API reads of a body, and what a CSV file may have in the dashboard.
_BODY_BYTES, _FILE_BYTES = 16 * 1024, 17 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer, with the report in it if the service recognised the token."""

    exchange: Answer
    probe_id: str
    report: Report | None


class Visitor:
    """Asks the service with a token of its own for each request."""

    def __init__(self, installation: Installation, clock: Clock) -> None:
        self._installation = installation
        self._signer = ProbeSigner(installation.settings.secret_keys, clock)
        self.sent = proxy.choose_headers(
            installation.address, installation.settings.trusted_proxies
        )

    def ask(self, path: str, *, body: bytes = b"", timeout_s: float = _TIMEOUT_S) -> _Answer:
        """Raises RequestFailed."""
        settings, invalid = self._installation.settings, tuple(self._installation.invalid)
        probe_id, token = self._signer.sign(settings, without=invalid)
        with closing(Client(Reach.ANY)) as client:
            answer = client.request(
                "POST" if body else "GET",
                self._installation.address + path,
                body,
                headers=self.sent | {HEADER: token},
                timeout_s=timeout_s,
                max_bytes=_MAX_ANSWER_BYTES,
            )
        try:
            report = msgspec.json.decode(answer.body, type=Report)
        except (msgspec.DecodeError, UnicodeDecodeError):
            report = None
        return _Answer(answer, probe_id, report)


def check_public_address(installation: Installation, clock: Clock) -> Iterator[Finding]:
    """Raises NotChecked without a key, or if it is unknown where the service is."""
    if not installation.settings.secret_keys:
        raise NotChecked("Not checked how requests arrive: there is no usable SECRET_KEY yet.")
    address = installation.address
    nowhere = NotChecked(
        "Not checked how requests arrive: PUBLIC_URL is not set, and this service does not answer"
        f" at {address}."
    )
    is_named = installation.settings.public_url is not None
    visitor = Visitor(installation, clock)
    try:
        answers = [visitor.ask(path) for path in (API_PATH, API_PATH, WIDGET_PATH)]
    except RequestFailed as failure:
        if not is_named:
            raise nowhere from None
        yield _describe_failure(address, failure)
        return
    reported = [(each.exchange, each.report) for each in answers if each.report]
    if not is_named and not reported:
        raise nowhere
    for answer in answers:
        if answer.report is None:
            yield _explain_answer(address, answer.exchange)
            return
    _, report = reported[0]
    yield from _check_service(report)
    yield from proxy.check_requests(report, installation, visitor.sent)
    yield from proxy.check_answers(reported)
    yield from _check_cache(answers)
    yield from _check_bodies(visitor)


def _describe_failure(address: str, failure: RequestFailed) -> Finding:
    if isinstance(failure, CertificateRefused):
        return Finding(
            "certificate_invalid",
            f"Browsers refuse {address}: {quote(failure)}.",
            "Renew it where HTTPS ends, which is the proxy, and reload that. It has to be for this"
            " name, and to come with its intermediate certificates.",
        )
    return Finding(
        "public_url_unreachable",
        f"Nothing answers at PUBLIC_URL, {address}: {failure}.",
        "Look whether the service and its proxy run, and where the name leads. If visitors reach"
        " it and only this machine does not, give the name this machine's way in /etc/hosts.",
    )


def _explain_answer(address: str, answer: Answer) -> Finding:
    """Say why an answer is not the service's report."""
    if 300 <= answer.status < 400:
        location = quote("".join(answer.list_values("Location")))
        return Finding(
            "public_url_redirects",
            f"PUBLIC_URL, {address}, redirects to {location}.",
            "Set PUBLIC_URL to where it leads, or take the redirect out of the proxy. If it leads"
            " to the same address, the proxy takes requests by HTTPS for HTTP ones: let it redirect"
            " only those that come by HTTP, and a content delivery network ask it by HTTPS.",
        )
    if answer.status in (502, 503, 504):
        return Finding(
            "service_down",
            f"The proxy at {address} answers {answer.status}: it does not reach the service.",
            "Look whether gunicorn runs and where it is bound, and whether the proxy names the"
            " same address.",
        )
    code = _read_code(answer)
    if code == "invalid_host":
        return proxy.describe_host("another host", address)
    if code in ("missing_key", "invalid_key"):
        return Finding(
            "secret_key_differs",
            f"The service at {address} has another SECRET_KEY than this command, or it is an older"
            " version, or its clock differs by more than a minute, or the proxy removes headers"
            " that it does not know.",
            "Run the command with the settings of the service, as its user, and restart the service"
            " after changes of its settings.",
        )
    return Finding(
        "another_service",
        f"What answers at PUBLIC_URL, {address}, is not this service (status {answer.status}).",
        "Correct PUBLIC_URL, or let the proxy pass all paths of this name on to the service.",
    )


def _read_code(answer: Answer) -> str | None:
    try:
        parsed = json.loads(answer.body)
    except (ValueError, RecursionError):
        return None
    return parsed.get("error") if isinstance(parsed, dict) else None


def _check_service(report: Report) -> Iterator[Finding]:
    if report.version != __version__:
        yield Finding(
            "service_outdated",
            f"The service runs version {quote(report.version)}, and this command is {__version__}.",
            "Restart the service, and flask worker where it runs: systemctl restart embed",
        )
    if report.differing:
        yield Finding(
            "settings_differ",
            f"The running service has other values of {quote(', '.join(report.differing))} than"
            " this command.",
            "Run commands with the settings of the service (such as /etc/embed.env), and restart"
            " the service after changes.",
        )


def _check_cache(answers: Sequence[_Answer]) -> Iterator[Finding]:
    if any(each.report is not None and each.report.probe_id != each.probe_id for each in answers):
        yield Finding(
            "proxy_caches",
            "The proxy answers from a cache what is meant for somebody else: the service forbids"
            " that by Cache-Control.",
            "Switch its cache off for this service, such as proxy_cache and proxy_ignore_headers"
            " of nginx.",
        )


def _check_bodies(visitor: Visitor) -> Iterator[Finding]:
    if _is_refused(visitor, SUBMISSION_PATH, _BODY_BYTES, _TIMEOUT_S):
        yield Finding(
            "proxy_refuses_bodies",
            f"The proxy refuses requests of {_BODY_BYTES // 1024} KiB, which submissions may have.",
            "Let it take more: client_max_body_size 18m; in nginx.",
        )
    elif _is_refused(visitor, FORM_PATH, _FILE_BYTES, _FILE_TIMEOUT_S):
        yield Finding(
            "proxy_refuses_files",
            "The proxy refuses requests of 17 MiB, which CSV files in the dashboard may have.",
            "Let it take more: client_max_body_size 18m; in nginx.",
        )


def _is_refused(visitor: Visitor, path: str, length: int, timeout_s: float) -> bool:
    """Tell whether a body is too large for the proxy; a slow line is no refusal."""
    try:
        return visitor.ask(path, body=b" " * length, timeout_s=timeout_s).exchange.status == 413
    except RequestFailed:
        return False
