"""Proof that a visitor holds a wallet's private key: Ed25519 over the message.

Solana wallets sign a text raw, or in an off-chain envelope, which keeps it from being taken for a
transaction. Envelopes exist in several versions, since each signer follows the specification of
its time:

- legacy-v0: solana-sdk offchain-message/src/lib.rs; the Solana command line; Ledger before 1.8.0
- v0: agave docs/src/proposals/off-chain-message-signing.md; Ledger from 1.8.0
- v1-early: LedgerHQ/device-sdk-ts
- v1: anza-xyz/kit preamble-v1.ts; agave pull request 12965
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from embed.domain.addresses import decode_address
from embed.errors import ApiError

SIGNATURE_BYTES = 64
FORMS = ("raw", "legacy-v0", "v0", "v1-early", "v1")

_DOMAIN = b"\xffsolana offchain"
_ONE_SIGNER = b"\x01"
_APPLICATION_DOMAIN_BYTES = 32
_MAX_UTF8_BYTES = 1_212  # of the text in formats 0 and 1
_ASCII, _UTF8 = b"\x00", b"\x01"  # formats


@dataclass(frozen=True, slots=True)
class SignedMessage:
    """A message with a signature that was verified, and what exactly the signature covers."""

    message: str
    signature: bytes  # 64
    form: str  # one of FORMS
    signed_bytes: bytes


def verify_signature(address: str, message: str, raw_signature: str, *, host: str) -> SignedMessage:
    """Return what `address` signed; raises ApiError `invalid_signature` unless it is `message`.

    `raw_signature` is standard padded base64 of 64 bytes, without surrounding
    characters. Besides the message itself, a wallet may have signed an off-chain envelope around
    it, which may name `host`. The envelope is built here, never taken from the client.
    PyNaCl refuses small-order keys and signatures whose S is not reduced. Some other
    libraries do not, and accept forgeries for the all-zero key.
    """
    signature = _parse_signature(raw_signature)
    public_key = decode_address(address)
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


def list_signable_forms(text: str, signer: bytes, *, host: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each form in which `signer` may sign `text`.

    `signer` is a public key of 32 bytes. v0 names an application: none (zeros), or `host`.
    """
    body = text.encode()
    yield "raw", body
    length = len(body).to_bytes(2, "little") if len(body) <= _MAX_UTF8_BYTES else None
    if length is not None:
        formats = _list_formats(text)
        for format_ in formats:
            yield "legacy-v0", _DOMAIN + b"\x00" + format_ + length + body
        for application in _list_application_domains(host):
            for format_ in formats:
                head = _DOMAIN + b"\x00" + application + format_ + _ONE_SIGNER + signer
                yield "v0", head + length + body
        yield "v1-early", _DOMAIN + b"\x01" + _ONE_SIGNER + signer + length + body
    yield "v1", _DOMAIN + b"\x01" + _ONE_SIGNER + signer + body


def _list_formats(text: str) -> tuple[bytes, ...]:
    """Return the formats for a text. A newline is ASCII to Ledgers, not to the command line."""
    is_ascii = text.isascii() and text.replace("\n", "").isprintable()
    return (_UTF8, _ASCII) if is_ascii else (_UTF8,)


def _list_application_domains(host: str) -> Iterator[bytes]:
    yield bytes(_APPLICATION_DOMAIN_BYTES)
    name = host.encode()[:_APPLICATION_DOMAIN_BYTES]  # as LedgerHQ/device-sdk-ts cuts longer ones
    yield name.ljust(_APPLICATION_DOMAIN_BYTES, b"\0")
