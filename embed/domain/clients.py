"""The browser from which a person does something, as far as that is kept."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from embed.domain.client_addresses import name_network, parse_client_address

# The first that fits counts: most browsers also name those that they want to be taken for.
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


@dataclass(frozen=True, slots=True)
class Client:
    """None for what is unknown; all of it is, for a command."""

    browser: str | None = None  # its name
    system: str | None = None  # the same of the operating system
    network: str | None = None  # as in logs

    @classmethod
    def parse(cls, user_agent: str, address: str) -> Self:
        """Return what a User-Agent header and a client's address tell."""
        ip = parse_client_address(address)
        return cls(*name_browser(user_agent), None if ip is None else name_network(ip))


def name_browser(user_agent: str) -> tuple[str | None, str | None]:
    """Return the names of the browser and the system that a User-Agent header tells of.

    None for what it does not tell.
    """
    return _find(_BROWSERS, user_agent), _find(_SYSTEMS, user_agent)


def _find(patterns: Mapping[str, re.Pattern[str]], user_agent: str) -> str | None:
    return next((name for name, pattern in patterns.items() if pattern.search(user_agent)), None)
