"""Decides which addresses may be connected to."""

from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

# The network whose addresses contain an IPv4 address in their last 32 bits (RFC 6052).
_TRANSLATED = IPv6Network("64:ff9b::/96")
# Networks that lead nowhere or to a nearby machine, which not every Python version knows
# (https://www.iana.org/assignments/iana-ipv4-special-registry, and the one for IPv6).
_NOT_PUBLIC = [
    ip_network(each)
    for each in (
        "192.0.0.0/24",  # protocols; in Oracle's cloud, 192.0.0.192 gives out credentials
        "192.88.99.0/24",  # the nearest 6to4 relay
        "168.63.129.16",  # the machine's host in Microsoft's cloud
        "64:ff9b:1::/48",  # translated as the network's operator chooses
        "2001::/23",  # protocols
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
    )
]


class Reach(Enum):
    PUBLIC = "public"
    PUBLIC_OR_LOOPBACK = "public or loopback"
    ANY = "any"


def is_allowed(host: str, reach: Reach) -> bool:
    """Return whether an IP address may be connected to; names never, unless any address may."""
    ip = find_ip(host)
    if reach is Reach.ANY or ip is None:
        return reach is Reach.ANY
    return is_public(ip) or (reach is Reach.PUBLIC_OR_LOOPBACK and ip.is_loopback)


def find_ip(host: str) -> IPv4Address | IPv6Address | None:
    """Parse an IP address; return the IPv4 address if an IPv6 address contains one."""
    try:
        ip = ip_address(host.partition("%")[0])  # without an IPv6 scope
    except ValueError:
        return None
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _TRANSLATED:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip


def is_public(ip: IPv4Address | IPv6Address) -> bool:
    if isinstance(ip, IPv6Address) and (ip.teredo or ip.is_site_local):
        return False
    if any(ip in network for network in _NOT_PUBLIC):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)
