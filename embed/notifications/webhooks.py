"""Webhooks: POST requests to an owner's server, signed according to Standard Webhooks.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from datetime import datetime
from urllib.parse import urlsplit

import msgspec
from nacl.signing import SigningKey

from embed.db.models import Message, Receiver
from embed.domain.times import format_instant
from embed.notifications.targets import Outcome, post
from embed.outbound import Client
from embed.serializers import write_json

_SECRET_BYTES = 32
_SECRET_PREFIX, _KEY_PREFIX, _PUBLIC_PREFIX = "whsec_", "whsk_", "whpk_"


def mask_url(url: str) -> str:
    """Return a webhook's address without the path, which often contains a secret.

    An older version may have accepted addresses that `check_url` refuses.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return f"{url.partition('://')[0]}://…"
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}/" + ("…" if parts.path.strip("/") or parts.query else "")


def send(receiver: Receiver, message: Message, client: Client, now: datetime) -> Outcome:
    body = write_body(message)
    return post(client, receiver.target, body, sign(receiver, message.id, body, now))


def write_body(message: Message) -> bytes:
    """Return the body; the bytes are the same each time a message is sent."""
    return write_json(
        {
            "type": message.type,
            "timestamp": format_instant(message.created_at),
            "data": msgspec.Raw(message.data.encode()),
        },
        is_compact=True,
    )


def make_secret() -> str:
    return _SECRET_PREFIX + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def make_signing_key() -> str:
    """Make an Ed25519 key pair: the seed, then the public key."""
    key = SigningKey.generate()
    return _KEY_PREFIX + b64encode(bytes(key) + bytes(key.verify_key)).decode()


def read_public_key(signing_key: str) -> str:
    """Return the public key, which verifies ``v1a`` signatures."""
    return _PUBLIC_PREFIX + b64encode(bytes(_read_signing_key(signing_key).verify_key)).decode()


def _read_signing_key(signing_key: str) -> SigningKey:
    return SigningKey(b64decode(signing_key.removeprefix(_KEY_PREFIX))[:32])


def sign(receiver: Receiver, message_id: str, body: bytes, now: datetime) -> dict[str, str]:
    """Return the headers of a message sent now."""
    timestamp = str(int(now.timestamp()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    signatures = [f"v1,{_sign_with_secret(each, signed)}" for each in _list_secrets(receiver, now)]
    if receiver.signing_key is not None:
        signature = _read_signing_key(receiver.signing_key).sign(signed).signature
        signatures.append(f"v1a,{b64encode(signature).decode()}")
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signatures),
    }


def _list_secrets(receiver: Receiver, now: datetime) -> list[str]:
    """Return the secret, and the previous one if it's still valid."""
    expires_at = receiver.previous_secret_expires_at
    is_previous_valid = expires_at is not None and now < expires_at
    previous = receiver.previous_secret if is_previous_valid else None
    return [each for each in (receiver.secret, previous) if each is not None]


def _sign_with_secret(secret: str, signed: bytes) -> str:
    key = b64decode(secret.removeprefix(_SECRET_PREFIX))
    return b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
