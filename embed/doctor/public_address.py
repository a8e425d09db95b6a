"""Check of PUBLIC_URL: whether the service answers there, as visitors would ask it."""

from collections.abc import Iterator
from contextlib import closing

from embed.doctor.findings import Finding, NotChecked, quote
from embed.doctor.variables import Installation
from embed.outbound.http import Answer, CertificateRefused, Client, RequestFailed
from embed.outbound.reach import Reach

# Without a key, the API says so; another service would not, nor one that gets another host.
_PATH = "/api/embed/tracking/doctor"
_EXPECTED = (401, b"missing_key")
_TIMEOUT_S = 8.0
_MAX_BYTES = 1024 * 1024
_CLOUDFLARE = "If Cloudflare is in front, set its encryption mode to Full (strict)."
_LOOK = (
    "Look whether gunicorn and the proxy run, where the name leads, and whether the proxy passes on"
    " all paths and the host. How requests arrive is on the page This server of the dashboard."
    f" {_CLOUDFLARE}"
)


def check_public_address(installation: Installation) -> Iterator[Finding]:
    """Raises NotChecked without PUBLIC_URL, and for what Cloudflare hides from this check."""
    address = installation.settings.public_url
    if address is None:
        raise NotChecked("Not checked: the public address, as PUBLIC_URL is not set.")
    try:
        with closing(Client(Reach.ANY)) as client:
            answer = client.request(
                "GET", address + _PATH, headers={}, timeout_s=_TIMEOUT_S, max_bytes=_MAX_BYTES
            )
    except CertificateRefused as refusal:
        yield Finding(
            "certificate_invalid",
            f"Browsers refuse {address}: {quote(refusal)}.",
            "Renew it where HTTPS ends, which is the proxy, and reload that. It has to be for this"
            " name, and to come with its intermediate certificates.",
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
            f"{address} sends visitors on to {quote(target)}.",
            "Set PUBLIC_URL to the address where this ends, or take out the redirect."
            f" {_CLOUDFLARE}",
        )
    elif answer.status != _EXPECTED[0] or _EXPECTED[1] not in answer.body:
        told = quote(answer.body[:1024].decode(errors="replace"))
        problem = f"At PUBLIC_URL, {address}, something else answers: {answer.status} {told}"
        yield Finding("public_url_unreachable", problem, _LOOK)
    elif answer.list_values("CF-Ray"):
        raise NotChecked(
            "Not checked: whether visitors count by their own address behind Cloudflare. Open the"
            " page This server of the dashboard to see."
        )
