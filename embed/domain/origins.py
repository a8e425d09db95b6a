"""Web origins: their normal form, advice on mistyped ones, and who may use a key.

See docs/api.md, Origins.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from urllib.parse import urlsplit

from embed.domain.hosts import expand_ipv4, normalise_host
from embed.domain.texts import gettext_noop
from embed.errors import InvalidInput

DEFAULT_PORTS = {"http": 80, "https": 443}
_FORBIDDEN = re.compile(r"[\s\\\x00-\x20\x7f]")
# Host and port only: urlsplit ignores text around an address in brackets.
_AUTHORITY = re.compile(
    r"(?P<host>\[[0-9a-f:.]+\]|[^@%*:\[\]]+)(?::[0-9]*)?", re.ASCII | re.IGNORECASE
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
# A name with a dot, or this machine; not one that begins with slashes or a port.
_SITE_WITHOUT_SCHEME = re.compile(r"[^/:.*]+\.[^*]+\Z")
_OWN_MACHINE = re.compile(r"(?:localhost|127\.0\.0\.1)(?![^:/?#])", re.IGNORECASE)
# Browsers never send these as an origin, but do send schemes of extensions and apps.
_SCHEMES_WITHOUT_SITES = {"about", "blob", "data", "file", "ftp", "javascript", "ws", "wss"}


@lru_cache(maxsize=256)  # visitors of a site all send the same
def parse_origin(raw: str) -> str | None:
    """Return ``scheme://host[:port]`` of an origin or URL as browsers send it, or None.

    Lower case, IDN as punycode, without default port, path, query and fragment. Backslashes
    are invalid, and so are user info, percent signs and a trailing dot in the host: parsing
    them differently from a browser would be a security gap.
    """
    return _parse(raw, normalise_host)


def _parse(raw: str, parse_host: Callable[[str], str | None]) -> str | None:
    if _FORBIDDEN.search(raw):
        return None
    try:
        parts = urlsplit(raw)
        scheme, port = parts.scheme.lower(), parts.port
        authority = _AUTHORITY.fullmatch(parts.netloc)
        # Not parts.hostname: it lowercases a final sigma differently than browsers do.
        host = parse_host(authority["host"]) if authority else None
    except ValueError:  # a bad port, brackets or label
        return None
    if host is None or port == 0 or not _SCHEME.fullmatch(scheme):
        return None
    if port is None or port == DEFAULT_PORTS.get(scheme):
        return f"{scheme}://{host}"
    return f"{scheme}://{host}:{port}"


def parse_allowlist_entry(raw: str) -> str:
    """Return the origin of an allowlist entry. Raises InvalidInput with what to write instead."""
    entry = raw.strip()
    origin = parse_origin(entry)
    if origin is None or "*" in entry or _read_scheme(entry) in _SCHEMES_WITHOUT_SITES:
        raise _explain_refusal(entry)
    return origin


def _explain_refusal(entry: str) -> InvalidInput:
    meant = find_meant_origin(entry)
    if "*" in entry:
        sentence = gettext_noop(
            "%(entry)s has a wildcard, which is not supported. List each site, such as "
            "https://www.example.com."
        )
    elif entry.lower() == "null":
        sentence = gettext_noop(
            "The null origin can't be listed. Use the key's “Allow the null origin” switch."
        )
    elif "://" not in entry and meant:
        sentence = gettext_noop("%(entry)s has no scheme. Use %(origin)s.")
    elif meant and _read_scheme(meant) not in _SCHEMES_WITHOUT_SITES:
        sentence = gettext_noop(
            "%(entry)s isn't how browsers write this IP address. Use %(origin)s."
        )
    else:
        sentence = gettext_noop(
            "%(entry)s isn't a site's address. Enter scheme, host and, if needed, port, such as "
            "https://www.example.com or http://localhost:8080."
        )
    return InvalidInput(sentence, field="origins", entry=repr(entry), origin=meant)


def find_meant_origin(raw: str) -> str | None:
    """Return the origin that a refused allowlist entry must mean, if that's certain."""
    entry = raw.strip()
    if "://" in entry:
        return _parse(entry, expand_ipv4)
    if _OWN_MACHINE.match(entry):
        return parse_origin(f"http://{entry}")
    return parse_origin(f"https://{entry}") if _SITE_WITHOUT_SCHEME.match(entry) else None


def correct_entry(raw: str) -> str:
    """Return an allowlist entry or, if it would be refused, what it must mean."""
    try:
        parse_allowlist_entry(raw)
    except InvalidInput:
        return find_meant_origin(raw) or raw
    return raw


def find_twin(origin: str) -> str | None:
    """Return the same site with or without www, None for a host that has no such twin."""
    scheme, _, host = origin.partition("://")
    if host.startswith("www."):
        return f"{scheme}://{host.removeprefix('www.')}"
    has_name = "." in host and not re.search(r"[0-9\]](:[0-9]+)?\Z", host)
    return f"{scheme}://www.{host}" if has_name else None


def _read_scheme(entry: str) -> str:
    return entry.partition(":")[0].lower()


@dataclass(frozen=True, slots=True)
class OriginDecision:
    """Whether a request may use a public key, judged by its origin."""

    code: Literal["missing_origin", "origin_not_allowed"] | None = None  # None: allowed
    refused_origin: str | None = None  # normalized, or "null"; None: no valid origin was sent


def decide_origin(
    *,
    raw_origin: str | None,
    raw_referer: str | None = None,
    is_same_origin_fetch: bool = False,
    allowlist: Collection[str],
    allows_null: bool,
    find_own_origin: Callable[[], str],
) -> OriginDecision:
    """Compare the Origin header, or without one the Referer, with a key's allowlist.

    `is_same_origin_fetch` says that the browser sent ``Sec-Fetch-Site: same-origin``, which
    scripts cannot set: a GET to the same origin has no Origin header. The service's own origin
    is always allowed; `find_own_origin` is called last, since it raises for an invalid host.
    """
    if raw_origin == "null":
        return OriginDecision() if allows_null else OriginDecision("origin_not_allowed", "null")
    raw = raw_origin or raw_referer
    if not raw:
        is_allowed = is_same_origin_fetch or allows_null
        return OriginDecision() if is_allowed else OriginDecision("missing_origin")
    origin = parse_origin(raw)
    if origin is not None and (origin in allowlist or origin == find_own_origin()):
        return OriginDecision()
    return OriginDecision("origin_not_allowed", origin)
