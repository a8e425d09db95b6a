"""Webhooks: signed POST requests to an owner's server."""

from datetime import datetime
from urllib.parse import urlsplit

import msgspec

from embed.db.models import Message, Receiver
from embed.domain.times import format_instant
from embed.notifications.signatures import sign
from embed.notifications.targets import Outcome, post
from embed.outbound.http import Client
from embed.serializers import write_json


def mask_url(url: str) -> str:
    """Return where a webhook leads, without its path, which often holds a secret.

    An older version may have taken addresses that `check_url` refuses.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return f"{url.partition('://')[0]}://…"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}/" + ("…" if parts.path.strip("/") or parts.query else "")


def send(receiver: Receiver, message: Message, client: Client, now: datetime) -> Outcome:
    """Send a message to a webhook."""
    body = write_body(message)
    return post(client, receiver.target, body, sign(receiver, message.id, body, now))


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
