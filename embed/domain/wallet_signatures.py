"""Proof that a visitor holds a wallet's private key: Ed25519 over the message."""

import base64
import binascii
from collections.abc import Iterator

import base58
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from embed.errors import ApiError

SIGNATURE_BYTES = 64


def check_signature(address: str, message: str, raw_signature: str) -> None:
    """Raises ApiError `invalid_signature` unless `address` signed `message` (spec 4.3).

    `raw_signature` is standard padded base64 of 64 bytes, without surrounding characters.
    PyNaCl refuses small-order keys and signatures whose S is not reduced. Some other
    libraries do not, and accept forgeries for the all-zero key.
    """
    signature = _parse_signature(raw_signature)
    key = VerifyKey(base58.b58decode(address))
    for signed in _list_signable_forms(message):
        try:
            key.verify(signed, signature)
        except BadSignatureError:
            continue
        return
    raise ApiError("invalid_signature")


def _list_signable_forms(message: str) -> Iterator[bytes]:
    """Yield the byte forms of the message that a wallet may sign: so far only the text itself."""
    yield message.encode()


def _parse_signature(raw: str) -> bytes:
    try:
        signature = base64.b64decode(raw, validate=True)
    except (binascii.Error, ValueError):
        raise ApiError("invalid_signature") from None
    # b64decode ignores stray bits before the padding; comparing with the encoding does not.
    if len(signature) != SIGNATURE_BYTES or base64.b64encode(signature).decode() != raw:
        raise ApiError("invalid_signature")
    return signature
