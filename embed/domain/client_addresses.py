"""Addresses of clients: as proxies write them, what they are counted by, and what logs name."""

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

# Some proxies append the port: 192.0.2.1:4711, [2001:db8::1]:4711. Others write only brackets.
_WITH_PORT = re.compile(r"([^:\[\]]+):\d+|\[([^\[\]]+)\](?::\d+)?")
_DIGITS_AND_DOTS = re.compile(r"[0-9.]+")
_PREFIX_LENGTH = {4: 24, 6: 48}


def parse_client_address(raw: str) -> IPv4Address | IPv6Address | None:
    """Return an address without its port, an IPv4 address where IPv6 only carries one.

    None for a unix socket, or some other text from a trusted proxy.
    """
    with_port = _WITH_PORT.fullmatch(raw)
    try:
        ip = ip_address(with_port[1] or with_port[2] if with_port else raw)
    except ValueError:
        return None
    return (ip.ipv4_mapped if isinstance(ip, IPv6Address) else None) or ip


def name_client(raw: str) -> str:
    """Return what identifies a client: an IPv4 address, or the /64 network of an IPv6 address."""
    if _DIGITS_AND_DOTS.fullmatch(raw):  # an IPv4 address as it is, or none at all
        return raw
    ip = parse_client_address(raw)
    if ip is None:
        return raw
    if isinstance(ip, IPv4Address):
        return str(ip)
    return str(IPv6Network((int(ip), 64), strict=False).network_address)


def name_network(ip: IPv4Address | IPv6Address) -> str:
    """Return the /24 of an IPv4 address, the /48 of an IPv6 address.

    A /48 is what providers give to one site at most (RFC 6177), a /24 is 256 addresses.
    """
    return str(ip_network((int(ip), _PREFIX_LENGTH[ip.version]), strict=False))
