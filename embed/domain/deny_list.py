"""What an owner's deny list keeps out: wallets, names by a pattern, and clients' networks."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from ipaddress import IPv4Network, IPv6Network, ip_network

import regex

from embed.domain.addresses import find_address, parse_pasted_address
from embed.domain.clients import parse_client_address
from embed.domain.nicknames import MAX_LENGTH as NICKNAME_LENGTH
from embed.domain.nicknames import SEPARATORS, skeleton
from embed.errors import InvalidInput

MAX_LENGTH = 64  # of a pattern, in code points
# NFKC makes at most four code points into one, as with nicknames. More are not read.
_MAX_RAW_LENGTH = 4 * (MAX_LENGTH + 1)

_NARROWEST = {4: 32, 6: 64}  # an IPv6 client counts by its /64
_WIDEST = {4: 16, 6: 32}  # a provider gets a /32 of IPv6; anything wider is likely a mistake
_MAPPED = IPv6Network("::ffff:0:0/96")

# The characters of nicknames, and the two wildcards.
_NAME_PATTERN = regex.compile(
    r"[\p{L}\p{M}\p{N}\ ._\-*?--\p{Default_Ignorable_Code_Point}]+", regex.VERSION1
)
_LETTER_OR_NUMBER = regex.compile(r"[\p{L}\p{N}]")

# They replace * and ? where letters are compared by their looks: some look like those two.
_ANY, _ONE = "\ue000", "\ue001"
_WILDCARDS = str.maketrans("*?", _ANY + _ONE)


# A mistyped address; no name is this long.
_LIKE_AN_ADDRESS = re.compile(rf"[0-9A-Za-z]{{{NICKNAME_LENGTH + 1},}}")
# Without four numbers it's a name, such as 3.14.
_LIKE_A_NETWORK = re.compile(r"[/:]|^[0-9]+(\.[0-9]+){3}$")


def find_kind(raw: str) -> str:
    """Return an entry's kind by its form: an address, a network, or else a name pattern."""
    if find_address(raw) or _LIKE_AN_ADDRESS.search(raw):
        return "wallet"
    return "network" if _LIKE_A_NETWORK.search(raw.strip()) else "name"


def parse_pattern(kind: str, raw: str) -> str:
    """Return an entry's pattern as it's stored. Raises InvalidInput for `pattern`."""
    text = raw.strip()[:_MAX_RAW_LENGTH]
    if not text:
        raise InvalidInput("Enter what to block.", field="pattern")
    return _PARSERS[kind](text)


def _parse_name(text: str) -> str:
    pattern = re.sub(r"\*+", "*", _fold(text).strip())
    if len(pattern) > MAX_LENGTH:
        raise InvalidInput(
            "This is longer than %(max)s characters.", field="pattern", max=MAX_LENGTH
        )
    if not _NAME_PATTERN.fullmatch(pattern):
        raise InvalidInput(
            "Names can have only letters, numbers, spaces, periods, underscores and hyphens. In a"
            " pattern, * stands for any number of characters and ? for one.",
            field="pattern",
        )
    if not _LETTER_OR_NUMBER.search(pattern):
        raise InvalidInput(
            "The pattern needs a letter or a number; otherwise it would block everyone.",
            field="pattern",
        )
    return pattern


def _parse_network(text: str) -> str:
    try:
        network = _unmap(ip_network(text, strict=False))
    except ValueError:
        raise InvalidInput(
            "This isn't a network. Enter an address such as 192.0.2.7, or a network such as "
            "192.0.2.0/24 or 2001:db8::/48.",
            field="pattern",
        ) from None
    if network.prefixlen < _WIDEST[network.version]:
        raise InvalidInput(
            "This network is too large. The largest are /%(v4)s for IPv4 and /%(v6)s for IPv6.",
            field="pattern",
            v4=_WIDEST[4],
            v6=_WIDEST[6],
        )
    narrowest = _NARROWEST[network.version]
    return str(network.supernet(new_prefix=min(network.prefixlen, narrowest)))


def _unmap(network: IPv4Network | IPv6Network) -> IPv4Network | IPv6Network:
    """Return the IPv4 network mapped to an IPv6 one, as is done for clients' addresses."""
    if isinstance(network, IPv4Network) or not network.subnet_of(_MAPPED):
        return network
    return IPv4Network((int(network.network_address) & 0xFFFF_FFFF, network.prefixlen - 96))


_PARSERS: Mapping[str, Callable[[str], str]] = {
    "wallet": partial(parse_pasted_address, field="pattern"),
    "name": _parse_name,
    "network": _parse_network,
}


def list_networks(client: str) -> list[str]:
    """Return every network with the client in it that an entry may name, as stored."""
    ip = parse_client_address(client)
    if ip is None:
        return []
    lengths = range(_WIDEST[ip.version], _NARROWEST[ip.version] + 1)
    return [str(ip_network((int(ip), length), strict=False)) for length in lengths]


def matches_any(patterns: Iterable[str], nickname: str) -> bool:
    """Tell whether a pattern matches a nickname, in any case, or a name that looks like it.

    If the pattern has no separator, those in the nickname are ignored, as with lookalikes.
    """
    written = _find_places(_fold(nickname))
    joined = _find_places(skeleton(nickname))
    apart = _find_places(skeleton(nickname, keeps_separators=True))
    for pattern in patterns:
        glob = pattern.translate(_WILDCARDS)
        looks = apart if any(one in pattern for one in SEPARATORS) else joined
        if _fits(glob, written) or _fits(skeleton(glob, keeps_separators=True), looks):
            return True
    return False


def _find_places(text: str) -> dict[str, int]:
    """Return each character's places in a text, as bits; the wildcard for one is at all places."""
    places = {_ONE: (1 << len(text)) - 1}
    for place, one in enumerate(text):
        places[one] = places.get(one, 0) | 1 << place
    return places


def _fits(glob: str, places: Mapping[str, int]) -> bool:
    """Tell whether a glob matches a text, in one step per character of the glob.

    Globs need no compiling, which took seconds for a long list of regular expressions.
    https://en.wikipedia.org/wiki/Bitap_algorithm
    """
    lengths = 1  # bit n: the glob so far matches the first n characters
    for sign in glob:
        if sign == _ANY:
            lengths = -(lengths & -lengths)  # the shortest match, and all longer ones
        elif not (lengths := (lengths & places.get(sign, 0)) << 1):
            return False
    return bool(lengths >> places[_ONE].bit_length() & 1)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
