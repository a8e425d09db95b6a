"""Signed values with a purpose and a lifetime; they are not encrypted."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec
from itsdangerous import (
    BadData,
    BadSignature,
    SignatureExpired,
    TimestampSigner,
    URLSafeTimedSerializer,
)

from embed.domain.times import Clock, from_ms, to_ms

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Signed(Generic[Value]):
    """A signed value, valid from `signed_at` until before `expires_at`."""

    value: Value
    signed_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs small JSON values, each for one purpose and a limited time.

    The first of `secret_keys` signs, all verify, so that keys can be rotated.
    """

    secret_keys: Sequence[str]
    clock: Clock

    def sign(
        self, purpose: str, value: object, lifetime: timedelta, now: datetime | None = None
    ) -> str:
        """Sign `value` with its lifetime, so that a later change of settings does not affect it."""
        serializer = _make_serializer(tuple(self.secret_keys), purpose)
        signer = serializer.make_signer(purpose)
        signer.now = now or self.clock()
        contents = [lifetime // timedelta(milliseconds=1), value]
        signed: bytes = signer.sign(serializer.dump_payload(contents))
        return signed.decode("ascii")

    def read(self, purpose: str, raw: str, shape: type[Value]) -> Signed[Value]:
        """Read a value that was signed for `purpose`.

        Raises BadSignature unless it was signed here for that purpose and has the type `shape`,
        which may differ in another version of the service; its subclass SignatureExpired once its
        lifetime is over.
        """
        if not raw.isascii():
            raise BadSignature("not signed here")
        now = self.clock()
        typed: Any = tuple[int, shape]  # type: ignore[valid-type]  # made at run time
        try:
            serializer = _make_serializer(tuple(self.secret_keys), purpose)
            contents, signed_at = serializer.loads(raw, return_timestamp=True)
            lifetime_ms, value = msgspec.convert(contents, typed)
            expires_at = signed_at + timedelta(milliseconds=lifetime_ms)
        except (BadData, msgspec.ValidationError, OverflowError):
            raise BadSignature("not signed here") from None
        if now >= expires_at:
            raise SignatureExpired("expired", date_signed=signed_at)
        return Signed(value, signed_at, expires_at)


@lru_cache(maxsize=64)
def _make_serializer(secret_keys: tuple[str, ...], purpose: str) -> Any:
    return URLSafeTimedSerializer(
        secret_keys[::-1],  # itsdangerous signs with the last
        salt=purpose,
        signer=_Signer,
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )


class _Signer(TimestampSigner):
    """Signs with a given time, in whole milliseconds."""

    now: datetime

    def get_timestamp(self) -> int:
        return to_ms(self.now)

    def timestamp_to_datetime(self, ts: int) -> datetime:
        return from_ms(ts)
