"""Checks whether the service answers at PUBLIC_URL, as visitors would reach it."""

from collections.abc import Iterator
from contextlib import closing

from embed.doctor.findings import Finding, NotChecked, quote
from embed.doctor.variables import Installation
from embed.outbound.http import Answer, CertificateRefused, Client, RequestFailed
from embed.outbound.reach import Reach

# The API reports the missing key; another service wouldn't, nor ours if it gets a wrong host.
_PATH = "/api/embed/tracking/doctor"
_EXPECTED = (401, b"missing_key")
_TIMEOUT_S = 8.0
_MAX_BYTES = 1024 * 1024
_CLOUDFLARE = "If Cloudflare is in front, set its encryption mode to Full (strict)."
_LOOK = (
    "Check that gunicorn and the proxy are running, where the name points, and that the proxy"
    " passes on all paths and the host. The dashboard's page This server shows how requests arrive."
    f" {_CLOUDFLARE}"
)


def check_public_address(installation: Installation) -> Iterator[Finding]:
    """Raises NotChecked without PUBLIC_URL, or if Cloudflare blocks this check."""
    address = installation.settings.public_url
    if address is None:
        raise NotChecked("Not checked: the public address, since PUBLIC_URL isn't set.")
    try:
        with closing(Client(Reach.ANY)) as client:
            answer = client.request(
                "GET", address + _PATH, headers={}, timeout_s=_TIMEOUT_S, max_bytes=_MAX_BYTES
            )
    except CertificateRefused as refusal:
        yield Finding(
            "certificate_invalid",
            f"Browsers refuse {address}: {quote(refusal)}.",
            "Renew the certificate in the proxy, where HTTPS ends, and reload the proxy. It must be"
            " for this name, and include its intermediate certificates.",
        )
    except RequestFailed as failure:
        problem = f"Nothing answers at PUBLIC_URL, {address}: {failure}."
        yield Finding("public_url_unreachable", problem, _LOOK)
    else:
        yield from _check_answer(address, answer)


def _check_answer(address: str, answer: Answer) -> Iterator[Finding]:
    target = "".join(answer.list_values("Location"))
    if 300 <= answer.status < 400 and target:
        yield Finding(
            "public_url_redirects",
            f"{address} redirects visitors to {quote(target)}.",
            f"Set PUBLIC_URL to the final address, or remove the redirect. {_CLOUDFLARE}",
        )
    elif answer.status != _EXPECTED[0] or _EXPECTED[1] not in answer.body:
        told = quote(answer.body[:1024].decode(errors="replace"))
        problem = f"At PUBLIC_URL, {address}, something else answers: {answer.status} {told}"
        yield Finding("public_url_unreachable", problem, _LOOK)
    elif answer.list_values("CF-Ray"):
        raise NotChecked(
            "Not checked: whether visitors behind Cloudflare count by their own address. The"
            " dashboard's page This server shows it."
        )
