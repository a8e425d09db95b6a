"""Off-chain envelopes, built from their specifications only, with or without mistakes.

The forms are those of embed/domain/wallet_signatures.py, which tests compare with these.
"""

import struct
from dataclasses import dataclass, replace

SIGNING_DOMAIN = b"\xffsolana offchain"
NO_APPLICATION = bytes(32)
ASCII, UTF8, LONG_UTF8 = 0, 1, 2


@dataclass(frozen=True)
class Envelope:
    """What an envelope consists of; None: count and length that are true."""

    form: str
    body: bytes
    signers: tuple[bytes, ...]
    signing_domain: bytes = SIGNING_DOMAIN
    version: int | None = None
    application: bytes = NO_APPLICATION
    format: int = UTF8
    count: int | None = None
    length: bytes | None = None

    def __bytes__(self) -> bytes:
        length = struct.pack("<H", len(self.body)) if self.length is None else self.length
        count = struct.pack("B", len(self.signers) if self.count is None else self.count)
        signers = count + b"".join(self.signers)
        format_ = struct.pack("B", self.format)
        version = int(self.form.startswith("v1")) if self.version is None else self.version
        head = self.signing_domain + struct.pack("B", version)
        match self.form:
            case "legacy-v0":
                return head + format_ + length + self.body
            case "v0":
                return head + self.application + format_ + signers + length + self.body
            case "v1-early":
                return head + signers + length + self.body
            case "v1":
                return head + signers + self.body
        raise ValueError(self.form)

    def change(self, **changes: object) -> "Envelope":
        return replace(self, **changes)


FIELDS_BY_FORM = {
    "legacy-v0": {"format", "length"},
    "v0": {"application", "format", "signers", "count", "length"},
    "v1-early": {"signers", "count", "length"},
    "v1": {"signers", "count"},
}
