"""What webhooks and other channels share: their allowed addresses, and the outcome of sending."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from embed.domain.hosts import expand_ipv4
from embed.errors import InvalidInput
from embed.outbound import Client, Reach, RequestFailed, find_ip, is_public
from embed.serializers import write_json
from embed.settings import Settings

TIMEOUT_S = 10
MAX_ANSWER_BYTES = 64 * 1024
MAX_URL_LENGTH = 2000
_HEADERS = {"Content-Type": "application/json", "User-Agent": "tracking-embed"}
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class Outcome:
    is_delivered: bool
    answer: str  # a few words for the owner, without the target
    is_final: bool = False  # a failure where trying again won't help
    retry_after: timedelta | None = None  # the wait that the receiver asked for


def check_url(raw: str, settings: Settings, *, field: str) -> str:
    """Return a server's address. Raises InvalidInput, without quoting the address.

    Where its name resolves to is checked only when connecting.
    """
    url = raw.strip()
    try:
        parts = urlsplit(url)
        host, is_usable = parts.hostname, parts.port != 0
    except ValueError:
        host, is_usable = None, False
    if not (host and is_usable and parts.scheme in ("http", "https") and _is_plain(url)):
        raise InvalidInput(
            "A webhook's address must look like https://example.com/hook.", field=field
        )
    if parts.username is not None or parts.password is not None:
        raise InvalidInput(
            "A webhook's address must not contain a user name or password.", field=field
        )
    check_reach(url, settings, field=field)
    return url


def check_reach(url: str, settings: Settings, *, field: str) -> None:
    """Raises InvalidInput for an address in the operator's own network, unless that's allowed."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return
    if not settings.allow_private_targets and _is_private(host):
        raise InvalidInput(
            "Channels can't point into this service's own network unless its operator sets "
            "ALLOW_PRIVATE_TARGETS=1.",
            field=field,
        )


def _is_plain(url: str) -> bool:
    return url.isascii() and url.isprintable() and " " not in url and len(url) <= MAX_URL_LENGTH


def _is_private(host: str) -> bool:
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with suppress(ValueError):
        name = expand_ipv4(name) or name  # short and hexadecimal forms too
    ip = find_ip(name)
    return ip is not None and not is_public(ip)


def open_client(settings: Settings) -> Client:
    """Return the client that sends messages; it reuses each receiver's connection if it can."""
    return Client(Reach.ANY if settings.allow_private_targets else Reach.PUBLIC)


def post(
    client: Client, url: str, content: Any, headers: Mapping[str, str] | None = None
) -> Outcome:
    """Post JSON and return what the answer's status means.

    The rest of an answer isn't stored, since it may contain anything.
    """
    try:
        answer = client.request(
            "POST",
            url,
            content if isinstance(content, bytes) else write_json(content, is_compact=True),
            headers={**_HEADERS, **(headers or {})},
            timeout_s=TIMEOUT_S,
            max_bytes=MAX_ANSWER_BYTES,
        )
    except RequestFailed as failure:
        return Outcome(False, str(failure))
    retry_after_s = answer.retry_after_s
    return Outcome(
        200 <= answer.status < 300,
        f"{answer.status} {_PHRASES.get(answer.status, '')}".strip(),
        is_final=answer.status == HTTPStatus.GONE,
        retry_after=None if retry_after_s is None else timedelta(seconds=retry_after_s),
    )
