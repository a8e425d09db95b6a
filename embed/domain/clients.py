"""The browser from which a person does something, as far as that is kept."""

from dataclasses import dataclass
from typing import Self

from embed.domain.browsers import name_browser
from embed.domain.client_addresses import name_network, parse_client_address


@dataclass(frozen=True, slots=True)
class Client:
    """None is what is not known; nothing is of a command."""

    browser: str | None = None  # its name
    system: str | None = None  # the same of the operating system
    network: str | None = None  # as in logs

    @classmethod
    def parse(cls, user_agent: str, address: str) -> Self:
        """Return what a User-Agent header and a client's address tell."""
        ip = parse_client_address(address)
        return cls(*name_browser(user_agent), None if ip is None else name_network(ip))
