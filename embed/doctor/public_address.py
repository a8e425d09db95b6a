"""Check of the service at its public address: flask doctor asks it as a visitor would."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urljoin, urlsplit

import msgspec

from embed import __version__
from embed.doctor import proxy
from embed.doctor.findings import Finding, NotChecked, quote
from embed.doctor.probe import HEADER, ProbeSigner, Report
from embed.doctor.variables import Installation, describe_missing_address
from embed.domain.times import Clock, format_instant
from embed.outbound.exchange import CertificateRefused, Exchange, exchange
from embed.outbound.http import RequestFailed

WIDGET_PATH = "/embed/tracking/doctor"  # no page has this id
API_PATH = "/api/embed/tracking/doctor"
SUBMISSION_PATH = "/api/embed/submissions"
FORM_PATH = "/dashboard/doctor"

_RENEW_WITHIN = timedelta(days=14)
_TIMEOUT_S, _FILE_TIMEOUT_S = 8.0, 10.0
_MAX_ANSWER_BYTES = 64 * 1024
# As much as the API reads of a body, and what a CSV file may have in the dashboard.
_BODY_BYTES, _FILE_BYTES = 16 * 1024, 4 * 1024 * 1024
_LOOPBACK_NAMES = ("127.", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer, with the report in it if the service recognised the token."""

    exchange: Exchange
    probe_id: str
    report: Report | None


class Visitor:
    """Asks the service with a token of its own for each request."""

    def __init__(self, installation: Installation, clock: Clock) -> None:
        self._installation = installation
        self._signer = ProbeSigner(installation.secret_keys, clock)
        self.sent = proxy.choose_headers(
            installation.address, installation.settings.trusted_proxies
        )

    def ask(self, path: str, *, body: bytes = b"", timeout_s: float = _TIMEOUT_S) -> _Answer:
        """Raises RequestFailed."""
        settings, invalid = self._installation.settings, tuple(self._installation.invalid)
        probe_id, token = self._signer.sign(settings, without=invalid)
        answer = exchange(
            "POST" if body else "GET",
            self._installation.address + path,
            headers=self.sent | {HEADER: token},
            body=body,
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
    if not installation.secret_keys:
        raise NotChecked("Not checked how requests arrive: there is no usable SECRET_KEY yet.")
    visitor = Visitor(installation, clock)
    is_named = installation.settings.public_url is not None
    try:
        first = visitor.ask(WIDGET_PATH)
    except RequestFailed as failure:
        if not is_named:
            raise NotChecked(_explain_nowhere(installation)) from None
        yield _describe_failure(installation.address, failure)
        return
    yield from _check_certificate(first.exchange, clock())
    if first.report is None:
        if not is_named:
            raise NotChecked(_explain_nowhere(installation))
        yield _explain_answer(installation, first.exchange)
        return
    yield from _judge(installation, visitor, first, first.report)


def _explain_nowhere(installation: Installation) -> str:
    return (
        "Not checked how requests arrive: PUBLIC_URL is not set, and this service does not answer"
        f" at {installation.address}."
    )


def _describe_failure(address: str, failure: RequestFailed) -> Finding:
    if isinstance(failure, CertificateRefused):
        return Finding(
            "certificate_invalid",
            f"Browsers refuse the certificate of {address}: {quote(failure)}.",
            "Renew it where HTTPS ends, which is the proxy, and reload that. It has to be for this"
            " name, and to come with its intermediate certificates.",
        )
    return Finding(
        "public_url_unreachable",
        f"Nothing answers at PUBLIC_URL, {address}: {failure}.",
        "Look whether the service and its proxy run, and where the name leads. If visitors reach"
        " it and only this machine does not, give the name this machine's way in /etc/hosts.",
    )


def _check_certificate(answer: Exchange, now: datetime) -> Iterator[Finding]:
    ends_at = answer.certificate_ends_at
    if ends_at is not None and ends_at - now < _RENEW_WITHIN:
        yield Finding(
            "certificate_expiring",
            f"The certificate ends at {format_instant(ends_at)}.",
            "Renew it, and look why that did not happen by itself.",
        )


def _explain_answer(installation: Installation, answer: Exchange) -> Finding:
    """Say why an answer is not the service's report. Raises RequestFailed."""
    address = installation.address
    if 300 <= answer.status < 400:
        return _explain_redirect(address, answer)
    if answer.status in (502, 503, 504):
        return Finding(
            "service_down",
            f"The proxy at {address} answers {answer.status}: it does not reach the service.",
            "Look whether gunicorn runs and where it is bound, and whether the proxy names the"
            " same address.",
        )
    plain = exchange(
        "GET", address + API_PATH, headers={}, timeout_s=_TIMEOUT_S, max_bytes=_MAX_ANSWER_BYTES
    )
    code = _read_code(plain)
    if code == "invalid_host":
        return proxy.describe_host("another host", address)
    if code == "missing_key":
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


def _explain_redirect(address: str, answer: Exchange) -> Finding:
    location = (answer.list_values("Location") or [""])[0]
    try:
        target = urlsplit(urljoin(address + WIDGET_PATH, location))
    except ValueError:
        return Finding(
            "public_url_redirects",
            f"PUBLIC_URL, {address}, redirects to {quote(location)}, which is no address.",
            "Take the redirect out of the proxy.",
        )
    origin = f"{target.scheme}://{target.netloc}"
    if origin == address and target.path == WIDGET_PATH:
        problem = "redirects to itself, without end"
        remedy = (
            "The proxy takes requests by HTTPS for HTTP ones: let it redirect only those that come"
            " by HTTP. With a content delivery network, let that ask your server by HTTPS."
        )
    else:
        problem = f"redirects to {quote(origin + target.path)}"
        remedy = f"Set PUBLIC_URL={quote(origin)}, or take the redirect out of the proxy."
    return Finding("public_url_redirects", f"PUBLIC_URL, {address}, {problem}.", remedy)


def _read_code(answer: Exchange) -> str | None:
    try:
        parsed = json.loads(answer.body)
    except (ValueError, RecursionError):
        return None
    return parsed.get("error") if isinstance(parsed, dict) else None


def _judge(
    installation: Installation, visitor: Visitor, first: _Answer, report: Report
) -> Iterator[Finding]:
    settings = installation.settings
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
    if settings.public_url is None and not report.bound_to.startswith(_LOOPBACK_NAMES):
        yield describe_missing_address(f"the service is bound to {quote(report.bound_to)}")
    if report.has_fallen_back:
        yield Finding(
            "limits_fallen_back",
            "The running service cannot reach the Redis of RATELIMIT_STORAGE_URI; each process"
            " counts limits for itself.",
            "Look whether Redis runs and can be reached from the service; it is tried again every"
            " five seconds.",
        )
    yield from proxy.check_host(report, settings)
    yield from proxy.check_forwarding(report, first.exchange, installation)
    yield from proxy.check_request_headers(report, visitor.sent)
    api = [visitor.ask(API_PATH) for _ in range(2)]
    yield from proxy.check_answers([(each.exchange, each.report) for each in (first, *api)])
    yield from _check_cache(api)
    yield from _check_bodies(visitor)


def _check_cache(answers: Sequence[_Answer]) -> Iterator[Finding]:
    if any(each.report is not None and each.report.probe_id != each.probe_id for each in answers):
        yield Finding(
            "proxy_caches",
            "The proxy answers from a cache what is meant for somebody else: the API forbids that"
            " by Cache-Control.",
            "Switch its cache off for this service, such as proxy_cache and proxy_ignore_headers"
            " of nginx.",
        )


def _check_bodies(visitor: Visitor) -> Iterator[Finding]:
    if _is_refused(visitor, SUBMISSION_PATH, _BODY_BYTES, _TIMEOUT_S):
        yield Finding(
            "proxy_refuses_bodies",
            f"The proxy refuses requests of {_BODY_BYTES // 1024} KiB, which submissions may have.",
            "Let it take more: client_max_body_size 5m; in nginx.",
        )
    elif _is_refused(visitor, FORM_PATH, _FILE_BYTES, _FILE_TIMEOUT_S):
        yield Finding(
            "proxy_refuses_files",
            "The proxy refuses requests of 4 MiB, which CSV files in the dashboard may have.",
            "Let it take more: client_max_body_size 5m; in nginx.",
        )


def _is_refused(visitor: Visitor, path: str, length: int, timeout_s: float) -> bool:
    """Tell whether a body is too large for the proxy; a slow line is no refusal."""
    try:
        return visitor.ask(path, body=b" " * length, timeout_s=timeout_s).exchange.status == 413
    except RequestFailed:
        return False
