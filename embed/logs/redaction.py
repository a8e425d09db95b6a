"""Removes secrets from log lines: a safety net for all messages, including libraries'.

The service never logs secrets on purpose, but an error's text or a library may quote what a
client sent. The exact secrets in the settings and the request are removed, and anything that
looks like a key.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote_plus

from embed.domain.clients import name_network, parse_client_address

_HIDDEN = "…"
# Shorter values are words that lines need, such as a database's name.
_SHORTEST_SECRET = 8
_LONGEST_READ = 32 * 1024  # of cookies, and of a body

# Keys shortened as in lists, webhook secrets, one-time links (gunicorn's own lines have paths), and
# any address's user and password, where the look-behind lets a search start only once per word.
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(svc_(?:pub|sec)_[0-9A-Za-z]{4})[0-9A-Za-z]+"), rf"\1{_HIDDEN}"),
    (re.compile(r"(wh(?:sec|sk)_)[\w+/=-]{8,}"), rf"\1{_HIDDEN}"),
    (
        re.compile(r"(/dashboard/(?:password|invitations|mail|decide)/)[^\s?'\"<>]+"),
        rf"\1{_HIDDEN}",
    ),
    (re.compile(r"(?<![\w+.-])([a-z][a-z0-9+.-]{1,20}://)[^\s/@'\"]{0,300}@"), rf"\1{_HIDDEN}@"),
)


class Redactor:
    """Removes the secrets of the settings and of a request, and anything that looks like one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known = _sort(secrets)

    def redact(self, text: str, environ: Mapping[str, Any] | None = None) -> str:
        """Return a text without secrets; `environ` is the current request's."""
        if environ is not None:
            for raw, shown in _list_addresses(environ):
                if raw in text:  # a client may send a thousand, and each pattern is compiled
                    text = re.sub(rf"(?<![\w:.]){re.escape(raw)}(?![\w:]|\.\w|/\d)", shown, text)
            for secret in _sort(_list_secrets(environ)):
                text = text.replace(secret, _HIDDEN)
        for secret in self._known:
            text = text.replace(secret, _HIDDEN)
        for pattern, replacement in _FORMS:
            text = pattern.sub(replacement, text)
        return text


def _sort(secrets: Iterable[str]) -> list[str]:
    """Return long enough secrets, the longest first, since one may contain another."""
    usable = {each for each in secrets if len(each) >= _SHORTEST_SECRET}
    return sorted(usable, key=len, reverse=True)


def _list_addresses(environ: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the client's address in every form that the request has, and what to show instead."""
    given = [str(environ.get("REMOTE_ADDR", ""))]
    given += str(environ.get("HTTP_X_FORWARDED_FOR", "")).split(",")
    for raw in {each.strip() for each in given}:
        ip = parse_client_address(raw)
        if ip is not None and not ip.is_loopback:
            yield raw, name_network(ip)
            yield str(ip), name_network(ip)


def _list_secrets(environ: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values in a request's query, cookies, Authorization header and body."""
    query = str(environ.get("QUERY_STRING", ""))
    cookies = str(environ.get("HTTP_COOKIE", ""))[:_LONGEST_READ]
    yield query
    yield cookies
    for pair in (*query.split("&"), *cookies.split(";")):
        value = pair.partition("=")[2].strip()
        yield value
        yield unquote_plus(value)
    yield str(environ.get("HTTP_AUTHORIZATION", "")).partition(" ")[2].strip()
    yield from _list_body(environ)


def _list_body(environ: Mapping[str, Any]) -> Iterator[str]:
    """Yield a body's values as far as the app has read it; nothing is read for the log."""
    request = environ.get("werkzeug.request")
    kept = {} if request is None else vars(request)
    for _, values in kept["form"].lists() if "form" in kept else ():
        yield from values
    body = (kept.get("_cached_data") or b"")[:_LONGEST_READ].decode(errors="replace")
    yield body
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return
    if isinstance(fields, dict):
        yield from (value for value in fields.values() if isinstance(value, str))
