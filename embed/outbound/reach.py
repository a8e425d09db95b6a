"""Which addresses a connection may open."""

from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

# The network whose addresses hold an IPv4 address in their last 32 bits (RFC 6052).
_TRANSLATED = IPv6Network("64:ff9b::/96")
# What Python does not know, or not in each version, to lead nowhere, or to a machine nearby
# (https://www.iana.org/assignments/iana-ipv4-special-registry, and that for IPv6).
_NOT_PUBLIC = [
    ip_network(each)
    for each in (
        "192.0.0.0/24",  # of protocols; in Oracle's cloud, 192.0.0.192 gives credentials
        "192.88.99.0/24",  # the nearest relay of 6to4
        "168.63.129.16",  # in Microsoft's cloud, the host of the machine
        "64:ff9b:1::/48",  # translated as the operator of the network chooses
        "2001::/23",  # of protocols
        "3fff::/20",  # of documents
        "5f00::/16",  # of segments
    )
]


class Reach(Enum):
    PUBLIC = "public"
    PUBLIC_OR_LOOPBACK = "public or loopback"
    ANY = "any"


def is_allowed(host: str, reach: Reach) -> bool:
    """Tell whether an IP address may be connected to; a name never may, unless any address may."""
    ip = find_ip(host)
    if reach is Reach.ANY or ip is None:
        return reach is Reach.ANY
    return is_public(ip) or (reach is Reach.PUBLIC_OR_LOOPBACK and ip.is_loopback)


def find_ip(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a text is, an IPv4 address where an IPv6 address holds one."""
    try:
        ip = ip_address(host.partition("%")[0])  # without the scope of IPv6
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
