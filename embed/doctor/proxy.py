"""What the proxy does to requests and answers, told from what the service saw and sent."""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from embed.doctor.findings import Finding, quote
from embed.doctor.probe import ANSWER_HEADERS, REQUEST_HEADERS, Report
from embed.doctor.variables import Installation
from embed.domain.origins import parse_origin
from embed.outbound.exchange import Exchange
from embed.settings import Settings

# Addresses for documentation (RFC 5737), which a client makes up.
_MADE_UP = "198.51.100."
_PASS_ON = {
    "Authorization": "proxy_set_header Authorization $http_authorization;",
    "Origin": "proxy_set_header Origin $http_origin;",
    "Cookie": "proxy_set_header Cookie $http_cookie;",
}
_SHORTER_WAY = (
    "If this machine reaches PUBLIC_URL by fewer proxies than visitors do, it is right as it is."
)


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


def check_host(report: Report, settings: Settings) -> Iterator[Finding]:
    seen = parse_origin(f"http://{report.host}")
    public_url = settings.public_url
    if public_url is not None and (
        seen is None or urlsplit(seen).hostname != urlsplit(public_url).hostname
    ):
        yield describe_host(f"the host {quote(report.host)}", public_url)


def describe_host(seen: str, address: str) -> Finding:
    return Finding(
        "host_mismatch",
        f"Requests for {address} reach the service with {seen}, so all are answered 400"
        " invalid_host.",
        "Let the proxy pass on the host (proxy_set_header Host $http_host; in nginx), and set"
        " PUBLIC_URL to the name that visitors use.",
    )


def check_forwarding(
    report: Report, answer: Exchange, installation: Installation
) -> Iterator[Finding]:
    """Compare TRUSTED_PROXIES with the proxies that wrote into X-Forwarded-For."""
    trusted = installation.settings.trusted_proxies
    count = len(_list_added(report.forwarded_for))
    is_https = installation.address.startswith("https://")
    if count == 0 and (is_https or is_passed_on(report.peer, answer.own_address)):
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
            f"TRUSTED_PROXIES is {trusted}, and requests come through {count}"
            f" {_pluralise(count)}. So clients choose the address that they are counted by.",
            f"Set TRUSTED_PROXIES={count}, and restart the service. {_SHORTER_WAY}",
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


def is_passed_on(peer: tuple[str, int], own_address: tuple[str, int]) -> bool:
    """Tell whether somebody else on the service's machine connected to it for this request.

    Between machines, another port may also come from address translation.
    """
    host, port = peer
    if not host:  # a socket file
        return True
    try:
        is_local = ip_address(host).is_loopback
    except ValueError:
        return False
    return is_local and port != own_address[1]


def check_request_headers(report: Report, sent: Mapping[str, str]) -> Iterator[Finding]:
    for name in REQUEST_HEADERS:
        if report.received.get(name) != sent[name]:
            yield Finding(
                "proxy_drops_header",
                f"The proxy removes or changes the header {name} of requests.",
                f"Let it pass on what clients send: {_PASS_ON[name]} in nginx.",
            )


def check_answers(answers: Sequence[tuple[Exchange, Report | None]]) -> Iterator[Finding]:
    """Compare what arrived with what the service sent; each difference is reported once."""
    reported = set()
    for answer, report in answers:
        for name in ANSWER_HEADERS if report is not None else ():
            sent = [value for each, value in report.sent if each == name]  # type: ignore[union-attr]  # see above
            got = answer.list_values(name)
            if sorted(sent) != sorted(got) and name not in reported:
                reported.add(name)
                yield _describe_change(name, sent, got)


def _describe_change(name: str, sent: Sequence[str], got: Sequence[str]) -> Finding:
    added = [value for value in got if value not in sent]
    arrived = (
        quote("; ".join(added)) if added else f"{len(got)} where the service sends {len(sent)}"
    )
    if name == "X-Frame-Options":
        return Finding(
            "proxy_adds_frame_options",
            f"The proxy adds X-Frame-Options ({arrived}), so no site can show the widget.",
            "Take it out of the proxy, at least for /embed/. The service itself says which sites"
            " may show what, by Content-Security-Policy.",
        )
    if name == "Content-Security-Policy":
        return Finding(
            "proxy_changes_policy",
            "The proxy adds or changes Content-Security-Policy, so sites cannot show the widget, or"
            f" it cannot load its parts: {arrived}.",
            "Take it out of the proxy; each page of the service has its own.",
        )
    if name == "Set-Cookie":
        return Finding(
            "proxy_changes_cookies",
            f"The proxy changes the cookies that the service sets: {_describe_cookies(sent, got)}."
            " Visitors then lose their session in the widget.",
            "Take what does that out of the proxy, such as proxy_cookie_path, proxy_cookie_flags"
            " and proxy_hide_header of nginx.",
        )
    return Finding(
        "proxy_changes_header",
        f"The proxy changes the header {name} of answers: {arrived}.",
        f"Take {name} out of the proxy; the service sets it where it belongs.",
    )


def _describe_cookies(sent: Sequence[str], got: Sequence[str]) -> str:
    if not got:
        return "they are missing"
    before, after = (
        {part.strip() for one in cookies for part in one.split(";")[1:]} for cookies in (sent, got)
    )
    missing, added = sorted(before - after), sorted(after - before)
    parts = [f"without {quote(', '.join(missing))}"] if missing else []
    parts += [f"with {quote(', '.join(added))}"] if added else []
    return " and ".join(parts) or "their values"
