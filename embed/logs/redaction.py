"""What no line of the log may show, whoever wrote it: a safety net below all messages.

No message of the service has such things in it on purpose. But the text of an error may quote what
a client sent, and so may a library.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_network
from typing import Any
from urllib.parse import unquote_plus

from embed.domain.client_addresses import name_network, parse_client_address

_HIDDEN = "…"
# Shorter values are words that lines need, such as the name of a database.
_SHORTEST_SECRET = 8
_LONGEST_COOKIE = 16 * 1024

# By their form. A look-behind keeps a search linear: it begins once in each run of characters.
_SUBSTITUTIONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(svc_(?:pub|sec)_[0-9A-Za-z]{4})[0-9A-Za-z]+"), rf"\1{_HIDDEN}"),  # as in lists
    (re.compile(r"(wh(?:sec|sk)_)[\w+/=-]{8,}"), rf"\1{_HIDDEN}"),
    # Nonces, cookies, one-time links, form tokens: itsdangerous with SHA-256, SHA-1 or SHA-512.
    (
        re.compile(
            r"(?<![\w.-])\.?[\w-]{2,}\.[\w-]{5,8}\.(?:[\w-]{86}|[\w-]{43}|[\w-]{27})(?![\w-])"
        ),
        _HIDDEN,
    ),
    (re.compile(r"(/dashboard/password/)[^\s?'\"<>]+"), rf"\1{_HIDDEN}"),
    # Signatures: 64 bytes in base64, percent-encoded or not, in base58 or in hex.
    (
        re.compile(r"(?<![\w+/])(?:[\w+/-]|%2[BbFf]){86}(?:==|%3[Dd]%3[Dd])?(?![\w+/-])"),
        _HIDDEN,
    ),
    (re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]{80,}"), _HIDDEN),
    (re.compile(r"\b([Bb]earer|Basic)(\s+)[\w.~+/=:-]{6,}"), rf"\1\2{_HIDDEN}"),
    (re.compile(r"((?:__Host-)?embed_\w{1,20}=)[^\s;,'\"]+"), rf"\1{_HIDDEN}"),
    # Of addresses: user and password, and the values of the query.
    (re.compile(r"(?<![\w+.-])([a-z][a-z0-9+.-]{1,20}://)[^\s/@'\"]{0,300}@"), rf"\1{_HIDDEN}@"),
    (re.compile(r"([?&;][\w.-]{1,40}=)[^\s&'\"<>]+"), rf"\1{_HIDDEN}"),
    (
        re.compile(
            r"((?:password|passwd|secret|token|api[-_]?key)['\"]?\s{0,3}[=:]\s{0,3}['\"]?)"
            r"[^\s'\"&,;]+",
            re.IGNORECASE,
        ),
        rf"\1{_HIDDEN}",
    ),
)
_ADDRESSES = (
    re.compile(r"(?<![\w:.])[0-9A-Fa-f:]*:[0-9A-Fa-f:.]{1,45}(?![\w:])"),
    re.compile(r"(?<![\w.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?!\w|\.[0-9])"),
)
# What operators call their own machines by. Other addresses may be those of clients.
_OWN_NETWORKS = [
    ip_network(each)
    for each in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "0.0.0.0/8",
        "::/127",
        "fc00::/7",
        "fe80::/10",
    )
]


class Redactor:
    """Removes secrets from texts: those of the settings, those of a request, and by their form."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known = _sort(secrets)

    def redact(self, text: str, environ: Mapping[str, Any] | None = None) -> str:
        """Return a text without secrets; `environ` is the request's that it is about."""
        if environ is not None:
            for raw, shown in _list_addresses(environ):
                if raw in text:  # a client may name a thousand, and each pattern is compiled
                    text = re.sub(rf"(?<![\w:.]){re.escape(raw)}(?![\w:]|\.\w|/\d)", shown, text)
            for secret in _sort(_list_secrets(environ)):
                text = text.replace(secret, _HIDDEN)
        for secret in self._known:
            text = text.replace(secret, _HIDDEN)
        for pattern, replacement in _SUBSTITUTIONS:
            text = pattern.sub(replacement, text)
        for pattern in _ADDRESSES:
            text = pattern.sub(_mask_address, text)
        return text


def _sort(secrets: Iterable[str]) -> list[str]:
    """Return those that are long enough, the longest first, as one may hold another."""
    usable = {each for each in secrets if len(each) >= _SHORTEST_SECRET}
    return sorted(usable, key=len, reverse=True)


def _mask_address(found: re.Match[str]) -> str:
    for text in (found[0], found[0].rstrip(".:")):  # it may end a sentence
        ip = parse_client_address(text)
        if ip is not None:
            break
    else:
        return found[0]
    network = name_network(ip)
    is_network = found.string.startswith(network, found.start())
    if is_network or any(ip in own for own in _OWN_NETWORKS):
        return found[0]
    return network + found[0][len(text) :]


def _list_addresses(environ: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the client's address in every form in which it was given, and what to show."""
    given = [str(environ.get("REMOTE_ADDR", ""))]
    given += str(environ.get("HTTP_X_FORWARDED_FOR", "")).split(",")
    for raw in {each.strip() for each in given}:
        ip = parse_client_address(raw)
        if ip is not None and not ip.is_loopback:
            yield raw, name_network(ip)
            yield str(ip), name_network(ip)


def _list_secrets(environ: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a request carries in its query, cookies and Authorization header."""
    query = str(environ.get("QUERY_STRING", ""))
    cookies = str(environ.get("HTTP_COOKIE", ""))[:_LONGEST_COOKIE]
    yield query
    yield cookies
    for pair in (*query.split("&"), *cookies.split(";")):
        value = pair.partition("=")[2].strip()
        yield value
        yield unquote_plus(value)
    yield str(environ.get("HTTP_AUTHORIZATION", "")).partition(" ")[2].strip()
