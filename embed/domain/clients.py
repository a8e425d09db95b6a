"""Clients: their addresses, as proxies write them and limits count them, and their browsers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self

# Some proxies append the port: 192.0.2.1:4711, [2001:db8::1]:4711. Others write only brackets.
_WITH_PORT = re.compile(r"([^:\[\]]+):\d+|\[([^\[\]]+)\](?::\d+)?")
_DIGITS_AND_DOTS = re.compile(r"[0-9.]+")
_PREFIX_LENGTH = {4: 24, 6: 48}


def parse_client_address(raw: str) -> IPv4Address | IPv6Address | None:
    """Return an address without its port; an IPv4 address mapped to IPv6 becomes plain IPv4.

    None for a unix socket, or any other text from a trusted proxy.
    """
    with_port = _WITH_PORT.fullmatch(raw)
    try:
        ip = ip_address(with_port[1] or with_port[2] if with_port else raw)
    except ValueError:
        return None
    return (ip.ipv4_mapped if isinstance(ip, IPv6Address) else None) or ip


def name_client(raw: str) -> str:
    """Return what identifies a client: an IPv4 address, or the /64 network of an IPv6 address."""
    if _DIGITS_AND_DOTS.fullmatch(raw):  # an IPv4 address already, or no address at all
        return raw
    ip = parse_client_address(raw)
    if ip is None:
        return raw
    if isinstance(ip, IPv4Address):
        return str(ip)
    return str(IPv6Network((int(ip), 64), strict=False).network_address)


def name_network(ip: IPv4Address | IPv6Address) -> str:
    """Return the /24 of an IPv4 address, the /48 of an IPv6 address.

    Providers give one site a /48 at most (RFC 6177); a /24 has 256 addresses.
    """
    return str(ip_network((int(ip), _PREFIX_LENGTH[ip.version]), strict=False))


# The first match counts: most browsers also name others, for compatibility.
_BROWSERS = {
    "Edge": re.compile(r"\bEdg(?:e|A|iOS)?/"),
    "Opera": re.compile(r"\b(?:OPR|OPT|OPiOS|Opera)[/ ]"),
    "Samsung Internet": re.compile(r"\bSamsungBrowser/"),
    "Firefox": re.compile(r"\b(?:Firefox|FxiOS)/"),
    "Chrome": re.compile(r"\b(?:Headless)?(?:Chrome|Chromium|CriOS)/"),
    "Safari": re.compile(r"\bSafari/"),
}
_SYSTEMS = {
    "Windows": re.compile(r"\bWindows\b"),
    "Android": re.compile(r"\bAndroid\b"),
    "iPhone": re.compile(r"\biPhone\b"),
    "iPad": re.compile(r"\biPad\b"),
    "macOS": re.compile(r"\bMacintosh\b"),
    "ChromeOS": re.compile(r"\bCrOS\b"),
    "Linux": re.compile(r"\bLinux\b"),
}


def name_browser(user_agent: str) -> tuple[str | None, str | None]:
    """Return the names of the browser and the system in a User-Agent header.

    None for what it doesn't say.
    """
    return _find(_BROWSERS, user_agent), _find(_SYSTEMS, user_agent)


def _find(patterns: Mapping[str, re.Pattern[str]], user_agent: str) -> str | None:
    return next((name for name, pattern in patterns.items() if pattern.search(user_agent)), None)


@dataclass(frozen=True, slots=True)
class Client:
    """The browser from which a person does something: None if unknown, empty for a command."""

    browser: str | None = None
    system: str | None = None
    network: str | None = None  # as in logs

    @classmethod
    def parse(cls, user_agent: str, address: str) -> Self:
        ip = parse_client_address(address)
        return cls(*name_browser(user_agent), None if ip is None else name_network(ip))


UNKNOWN = Client()
