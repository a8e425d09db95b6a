"""What webhooks and channels have in common: the addresses that they may name, and how it went."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from embed.domain.hosts import expand_ipv4
from embed.errors import InvalidInput
from embed.outbound.http import Client, RequestFailed
from embed.outbound.reach import Reach, find_ip, is_public
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
    answer: str  # short words for the owner, without the target
    is_final: bool = False  # a failure that trying again cannot mend
    retry_after: timedelta | None = None  # as the receiver asked


def check_url(raw: str, settings: Settings, *, field: str) -> str:
    """Return the address of a server. Raises InvalidInput, without the address in it.

    Where its name leads is only known, and checked, when it is connected to.
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
    if not settings.allow_private_targets and _is_private(host):
        raise InvalidInput(
            "Channels can't point into this service's own network unless its operator sets "
            "ALLOW_PRIVATE_TARGETS=1.",
            field=field,
        )
    return url


def _is_plain(url: str) -> bool:
    return url.isascii() and url.isprintable() and " " not in url and len(url) <= MAX_URL_LENGTH


def _is_private(host: str) -> bool:
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with suppress(ValueError):
        name = expand_ipv4(name) or name  # also short and hexadecimal forms
    ip = find_ip(name)
    return ip is not None and not is_public(ip)


def open_client(settings: Settings) -> Client:
    """Return what sends the messages of receivers, by one connection to each while that lasts."""
    return Client(Reach.ANY if settings.allow_private_targets else Reach.PUBLIC)


def post(
    client: Client, url: str, content: Any, headers: Mapping[str, str] | None = None
) -> Outcome:
    """Post JSON, and tell what the answer's status means.

    Nothing else of an answer is stored, since it may contain anything.
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
