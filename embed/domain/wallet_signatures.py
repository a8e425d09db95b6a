"""Proof that a visitor holds a wallet's private key: Ed25519 over the message."""

import base64
import binascii
from dataclasses import dataclass

import base58
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from embed.domain.offchain_messages import list_signable_forms
from embed.errors import ApiError

SIGNATURE_BYTES = 64


@dataclass(frozen=True, slots=True)
class SignedMessage:
    """A message with a signature that was verified, and what exactly the signature covers."""

    message: str
    signature: bytes  # 64
    form: str  # one of offchain_messages.FORMS
    signed_bytes: bytes


def verify_signature(address: str, message: str, raw_signature: str, *, host: str) -> SignedMessage:
    """Return what `address` signed; raises ApiError `invalid_signature` unless it is `message`.

    See spec 4.3. `raw_signature` is standard padded base64 of 64 bytes, without surrounding
    characters. Besides the message itself, a wallet may have signed an off-chain envelope around
    it, which may name `host`. The envelope is built here, never taken from the client.
    PyNaCl refuses small-order keys and signatures whose S is not reduced. Some other
    libraries do not, and accept forgeries for the all-zero key.
    """
    signature = _parse_signature(raw_signature)
    public_key = base58.b58decode(address)
    key = VerifyKey(public_key)
    for form, signed_bytes in list_signable_forms(message, public_key, host=host):
        try:
            key.verify(signed_bytes, signature)
        except BadSignatureError:
            continue
        return SignedMessage(message, signature, form, signed_bytes)
    raise ApiError("invalid_signature")


def _parse_signature(raw: str) -> bytes:
    try:
        signature = base64.b64decode(raw, validate=True)
    except (binascii.Error, ValueError):
        raise ApiError("invalid_signature") from None
    # b64decode ignores stray bits before the padding; comparing with the encoding does not.
    if len(signature) != SIGNATURE_BYTES or base64.b64encode(signature).decode() != raw:
        raise ApiError("invalid_signature")
    return signature
