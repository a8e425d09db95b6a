"""What the proxy does to requests and answers, told from what the service saw and sent."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from embed.doctor.findings import Finding, quote
from embed.doctor.probe import ANSWER_HEADERS, REQUEST_HEADERS, Report
from embed.doctor.variables import Installation
from embed.domain.origins import parse_origin
from embed.outbound.http import Answer

# Addresses for documentation (RFC 5737), which a client makes up.
_MADE_UP = "198.51.100."
# Headers whose changes have a code of their own, and what follows from them.
_CHANGES = {
    "X-Frame-Options": ("proxy_adds_frame_options", "no site can show the widget"),
    "Content-Security-Policy": (
        "proxy_changes_policy",
        "sites cannot show the widget, or it cannot load its parts",
    ),
    "Set-Cookie": ("proxy_changes_cookies", "visitors lose their session in the widget"),
}


def choose_headers(address: str, trusted_proxies: int) -> dict[str, str]:
    """Return a visitor's headers, with as many made-up addresses as a client would try."""
    count = max(1, trusted_proxies)
    return {
        "Authorization": "Bearer doctor",
        "Origin": address,
        "Cookie": "embed_session=doctor",
        "X-Forwarded-For": ", ".join(f"{_MADE_UP}{number}" for number in range(1, count + 1)),
        "User-Agent": "flask doctor",
    }


def check_requests(
    report: Report, installation: Installation, sent: Mapping[str, str]
) -> Iterator[Finding]:
    """Compare how a request arrived with how it was sent."""
    seen = parse_origin(f"http://{report.host}")
    public_url = installation.settings.public_url
    if public_url is not None and (
        seen is None or urlsplit(seen).hostname != urlsplit(public_url).hostname
    ):
        yield describe_host(f"the host {quote(report.host)}", public_url)
    yield from _check_forwarding(report, installation)
    for name in REQUEST_HEADERS:
        if report.received.get(name) != sent[name]:
            yield Finding(
                "proxy_drops_header",
                f"The proxy removes or changes the header {name} of requests.",
                "Let it pass on what clients send:"
                f" proxy_set_header {name} $http_{name.lower()}; in nginx.",
            )


def describe_host(seen: str, address: str) -> Finding:
    return Finding(
        "host_mismatch",
        f"Requests for {address} reach the service with {seen}, so all are answered 400"
        " invalid_host.",
        "Let the proxy pass on the host (proxy_set_header Host $http_host; in nginx), and set"
        " PUBLIC_URL to the name that visitors use.",
    )


def _check_forwarding(report: Report, installation: Installation) -> Iterator[Finding]:
    """Compare TRUSTED_PROXIES with the proxies that wrote into X-Forwarded-For."""
    trusted = installation.settings.trusted_proxies
    count = len(_list_added(report.forwarded_for))
    is_https = installation.address.startswith("https://")
    if is_https and count == 0:
        yield Finding(
            "proxy_headers_missing",
            "The proxy does not write the client's address into X-Forwarded-For, so all visitors"
            " count as one client, or choose their address themselves.",
            "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; in nginx, and"
            " TRUSTED_PROXIES=1",
        )
    elif trusted < count:
        yield Finding(
            "proxies_not_trusted",
            f"Requests come through {count} {_pluralise(count)}, and TRUSTED_PROXIES is {trusted}."
            " So all visitors count as one client, and soon meet 429 rate_limit_ip.",
            f"Set TRUSTED_PROXIES={count} if all of them are yours or your provider's, and restart"
            " the service.",
        )
    elif trusted > count:
        yield Finding(
            "proxies_trusted_too_far",
            f"TRUSTED_PROXIES is {trusted}, and {count} {_pluralise(count)} wrote into"
            " X-Forwarded-For. So clients choose the address that they are counted by.",
            f"Set TRUSTED_PROXIES={count}, and restart the service. If this machine reaches"
            " PUBLIC_URL by fewer proxies than visitors do, it is right as it is.",
        )
    elif is_https and report.scheme != "https":
        yield Finding(
            "proxy_headers_missing",
            "The service takes requests for HTTP ones, although PUBLIC_URL begins with https://.",
            "Let each proxy pass on the scheme: proxy_set_header X-Forwarded-Proto $scheme; in"
            " nginx.",
        )


def _pluralise(count: int) -> str:
    return "proxy" if count == 1 else "proxies"


def _list_added(forwarded_for: Sequence[str]) -> Sequence[str]:
    """Return what proxies wrote behind the made-up addresses, or in place of them."""
    made_up = [place for place, each in enumerate(forwarded_for) if each.startswith(_MADE_UP)]
    return forwarded_for[made_up[-1] + 1 :] if made_up else forwarded_for


def check_answers(answers: Sequence[tuple[Answer, Report]]) -> Iterator[Finding]:
    """Compare what arrived with what the service sent; each header is reported once."""
    for name in ANSWER_HEADERS:
        for answer, report in answers:
            sent = [value for each, value in report.sent if each == name]
            got = answer.list_values(name)
            if sorted(sent) != sorted(got):
                yield _describe_change(name, sent, got)
                break


def _describe_change(name: str, sent: Sequence[str], got: Sequence[str]) -> Finding:
    code, effect = _CHANGES.get(name, ("proxy_changes_header", "browsers may refuse the answers"))
    if name == "Set-Cookie":  # without their values, which are secret
        sent, got = _list_attributes(sent), _list_attributes(got)
    added = [value for value in got if value not in sent]
    missing = [value for value in sent if value not in got]
    with_what = [
        f"{word} {quote('; '.join(values))}"
        for word, values in (("with", added), ("without", missing))
        if values
    ]
    arrived = " and ".join(with_what) or "with another number of values"
    return Finding(
        code,
        f"The proxy changes the header {name} of answers, so {effect}. It arrives {arrived}.",
        f"Take out of the proxy what changes {name}, such as add_header, proxy_hide_header,"
        " proxy_cookie_path or proxy_cookie_flags of nginx. The service sets it where it belongs.",
    )


def _list_attributes(cookies: Sequence[str]) -> list[str]:
    return [part.strip() for cookie in cookies for part in cookie.split(";")[1:]]
