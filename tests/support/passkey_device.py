"""A device that keeps passkeys, as far as tests need one; it can also misbehave."""

import hashlib
import json
import os
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2 import cbor
from fido2.cose import ES256, RS256, CoseKey, EdDSA

from embed.db.models import Passkey, Person

PRESENT, VERIFIED, BACKUP_ELIGIBLE, BACKED_UP, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def store_passkey(
    person: Person, now: datetime, *, host: str = "localhost", credential_id: str = "x"
) -> Passkey:
    """Store a passkey that no device has."""
    return Passkey.create(
        person=person,
        name="Laptop",
        credential_id=credential_id,
        credential="",
        host=host,
        sign_count=0,
        created_at=now,
    )


def encode(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _make_key(algorithm: str) -> Any:
    if algorithm == "ES256":
        return ec.generate_private_key(ec.SECP256R1())
    if algorithm == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    return rsa.generate_private_key(65537, 2048)


_COSE = {"ES256": ES256, "EdDSA": EdDSA, "RS256": RS256}


@dataclass
class Device:
    """One passkey; attributes can be changed to make wrong answers."""

    origin: str
    host: str = "localhost"
    algorithm: str = "ES256"
    flags: int = PRESENT | VERIFIED | BACKUP_ELIGIBLE | BACKED_UP
    count: int = 0  # 0: it does not count
    credential_id: bytes = field(default_factory=lambda: os.urandom(32))
    handle: bytes | None = None
    client_data: dict[str, Any] = field(default_factory=dict)  # goes over what is right
    public_key: CoseKey | None = None  # in place of the real one

    def __post_init__(self) -> None:
        self.key = _make_key(self.algorithm)

    def create(self, options: str, **extra: Any) -> str:
        """Answer PublicKeyCredentialCreationOptionsJSON."""
        asked = json.loads(options)
        self.handle = decode(asked["user"]["id"])
        client_data = self._write_client_data("webauthn.create", asked["challenge"])
        cose = self.public_key or _COSE[self.algorithm].from_cryptography_key(self.key.public_key())
        attested = (
            bytes(16)
            + struct.pack(">H", len(self.credential_id))
            + self.credential_id
            + cbor.encode(cose)
        )
        data = self._write_data(self.flags | ATTESTED) + attested
        attestation = cbor.encode({"fmt": "none", "authData": data, "attStmt": {}})
        return self._write(client_data, attestationObject=encode(attestation), **extra)

    def get(self, options: str, **extra: Any) -> str:
        """Answer PublicKeyCredentialRequestOptionsJSON."""
        asked = json.loads(options)
        client_data = self._write_client_data("webauthn.get", asked["challenge"])
        if self.count:
            self.count += 1
        data = self._write_data(self.flags)
        signature = self._sign(data + hashlib.sha256(client_data).digest())
        return self._write(
            client_data,
            authenticatorData=encode(data),
            signature=encode(signature),
            userHandle=None if self.handle is None else encode(self.handle),
            **extra,
        )

    def _write_client_data(self, kind: str, challenge: str) -> bytes:
        right = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(right | self.client_data).encode()

    def _write_data(self, flags: int) -> bytes:
        return hashlib.sha256(self.host.encode()).digest() + struct.pack(">BI", flags, self.count)

    def _write(self, client_data: bytes, **response: Any) -> str:
        raw_id = encode(self.credential_id)
        return json.dumps(
            {
                "id": raw_id,
                "rawId": raw_id,
                "type": "public-key",
                "response": {"clientDataJSON": encode(client_data), **response},
                "clientExtensionResults": {},
            }
        )

    def _sign(self, message: bytes) -> bytes:
        if isinstance(self.key, ec.EllipticCurvePrivateKey):
            return self.key.sign(message, ec.ECDSA(hashes.SHA256()))
        if isinstance(self.key, rsa.RSAPrivateKey):
            return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())
        return self.key.sign(message)
