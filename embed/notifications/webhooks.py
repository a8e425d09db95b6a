"""Webhooks: signed POST requests to an owner's server."""

from datetime import datetime, timedelta
from http import HTTPStatus
from urllib.parse import urlsplit

import msgspec

from embed.db.models import Message, Receiver
from embed.domain.hosts import expand_ipv4
from embed.domain.times import format_instant
from embed.errors import InvalidInput
from embed.notifications.signatures import sign
from embed.notifications.targets import Outcome, check_host
from embed.outbound.guard import Reach
from embed.outbound.http import Answer, Client, RequestFailed
from embed.serializers import write_json
from embed.settings import Settings

TIMEOUT_S = 10
MAX_URL_LENGTH = 2000
_MAX_ANSWER_BYTES = 64 * 1024


def check_url(raw: str, settings: Settings) -> str:
    """Return the address of a webhook. Raises InvalidInput, without the address in it.

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
            "A webhook's address must look like https://example.com/hook.", field="target"
        )
    if parts.username is not None or parts.password is not None:
        raise InvalidInput(
            "A webhook's address must not contain a user name or password.", field="target"
        )
    check_host(_expand(host), settings)
    return url


def _is_plain(url: str) -> bool:
    return url.isascii() and url.isprintable() and " " not in url and len(url) <= MAX_URL_LENGTH


def _expand(host: str) -> str:
    """Write short and hexadecimal forms of IPv4, such as 127.1, in full."""
    try:
        return expand_ipv4(host) or host
    except ValueError:
        return host


def mask_url(url: str) -> str:
    """Return where a webhook leads, without its path, which often holds a secret.

    A page's file may hold addresses that `check_url` refuses.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return f"{url.partition('://')[0]}://…"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}/" + ("…" if parts.path.strip("/") or parts.query else "")


def open_client(settings: Settings) -> Client:
    """Return what sends the messages of one webhook, by one connection while that lasts."""
    return Client(Reach.ANY if settings.allow_private_targets else Reach.PUBLIC)


def send(receiver: Receiver, message: Message, client: Client, now: datetime) -> Outcome:
    """Send a message to a webhook."""
    body = write_body(message)
    try:
        answer = client.post(
            receiver.target,
            body,
            headers={
                "Content-Type": "application/json",
                "User-Agent": "tracking-embed",
                **sign(receiver, message.id, body, now),
            },
            timeout_s=TIMEOUT_S,
            max_bytes=_MAX_ANSWER_BYTES,
        )
    except RequestFailed as failure:
        return Outcome(False, str(failure))
    return _judge(answer)


def write_body(message: Message) -> bytes:
    """Return the same bytes whenever a message is sent."""
    return write_json(
        {
            "type": message.type,
            "timestamp": format_instant(message.created_at),
            "data": msgspec.Raw(message.data.encode()),
        },
        is_compact=True,
    )


def _judge(answer: Answer) -> Outcome:
    """Tell what a status means; nothing else of an answer is kept, as anything may be in it."""
    known = {status.value: status.phrase for status in HTTPStatus}
    words = f"{answer.status} {known.get(answer.status, '')}".strip()
    if 200 <= answer.status < 300:
        return Outcome(True, words)
    retry_after = answer.headers.get("Retry-After", "")
    is_number = retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 6
    return Outcome(
        False,
        words,
        is_final=answer.status == HTTPStatus.GONE,
        retry_after=timedelta(seconds=int(retry_after)) if is_number else None,
    )
