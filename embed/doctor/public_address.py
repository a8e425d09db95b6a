"""Check of PUBLIC_URL: whether the service answers there, as visitors would ask it."""

import ssl
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlsplit

from embed.doctor.findings import Finding, NotChecked, quote
from embed.doctor.variables import Installation

# Without a key, the API says so; another service would not, nor one that gets another host.
_PATH = "/api/embed/tracking/doctor"
_EXPECTED = (401, b"missing_key")
_TIMEOUT_S = 8.0
_MAX_BYTES = 1024
_LOOK = (
    "Look whether gunicorn and the proxy run, where the name leads, and whether the proxy passes on"
    " all paths and the host. How requests arrive is on the page This server of the dashboard."
)


def check_public_address(installation: Installation) -> Iterator[Finding]:
    """Raises NotChecked without PUBLIC_URL."""
    address = installation.settings.public_url
    if address is None:
        raise NotChecked("Not checked: the public address, as PUBLIC_URL is not set.")
    parts = urlsplit(address)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        with closing(connect(parts.hostname or "", parts.port, timeout=_TIMEOUT_S)) as connection:
            connection.request("GET", _PATH)
            answer = connection.getresponse()
            body = answer.read(_MAX_BYTES)
    except ssl.SSLCertVerificationError as refusal:
        yield Finding(
            "certificate_invalid",
            f"Browsers refuse the certificate of {address}: {quote(refusal.verify_message)}.",
            "Renew it where HTTPS ends, which is the proxy, and reload that. It has to be for this"
            " name, and to come with its intermediate certificates.",
        )
    except (OSError, HTTPException, UnicodeError) as failure:
        reason = quote(failure) or type(failure).__name__
        problem = f"Nothing answers at PUBLIC_URL, {address}: {reason}"
        yield Finding("public_url_unreachable", problem, _LOOK)
    else:
        yield from _check_answer(address, answer, body)


def _check_answer(address: str, answer: HTTPResponse, body: bytes) -> Iterator[Finding]:
    target = answer.getheader("Location")
    if 300 <= answer.status < 400 and target:
        yield Finding(
            "public_url_redirects",
            f"{address} sends visitors on to {quote(target)}.",
            "Set PUBLIC_URL to the address where this ends, or take out the redirect. Behind a"
            " content delivery network, let it ask the service by HTTPS.",
        )
    elif answer.status != _EXPECTED[0] or _EXPECTED[1] not in body:
        told = quote(body.decode(errors="replace"))
        problem = f"At PUBLIC_URL, {address}, something else answers: {answer.status} {told}"
        yield Finding("public_url_unreachable", problem, _LOOK)
