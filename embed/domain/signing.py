"""Signed values with a lifetime; they are not encrypted."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

import msgspec
from itsdangerous import BadData, TimestampSigner, URLSafeTimedSerializer

from embed.domain.times import Clock, from_ms, to_ms

Value = TypeVar("Value")

SESSION_LIFETIME = timedelta(days=30)


class Expired(ValueError):
    """A value that was signed here, and is no longer valid."""


@dataclass(frozen=True, slots=True)
class Signed(Generic[Value]):
    """A signed value, valid from `signed_at` until before `expires_at`."""

    value: Value
    signed_at: datetime
    expires_at: datetime


class Signer(Generic[Value]):
    """Signs small JSON values for one purpose and a limited time.

    `secret_keys`: the first signs, all verify, so that keys can be rotated. A value
    that was signed for one `purpose` is invalid for any other. So is a value that does not have
    the type `shape`, which another version of the service may have signed.
    """

    def __init__(
        self, secret_keys: Sequence[str], purpose: str, clock: Clock, shape: type[Value]
    ) -> None:
        self._clock = clock
        self._shape = tuple[int, shape]  # type: ignore[valid-type]  # made at run time
        self._serializer = URLSafeTimedSerializer(
            list(reversed(secret_keys)),  # itsdangerous signs with the last
            salt=purpose,
            signer=_ClockSigner,
            signer_kwargs={
                "clock": clock,
                "key_derivation": "hmac",
                "digest_method": hashlib.sha256,
            },
        )

    def sign(self, value: Value, lifetime: timedelta) -> str:
        """Sign `value` with its lifetime, so that a later change of settings does not affect it."""
        signed = self._serializer.dumps([lifetime // timedelta(milliseconds=1), value])
        return signed if isinstance(signed, str) else signed.decode("ascii")

    def unsign(self, raw: str) -> Signed[Value]:
        """Raises ValueError for a value that was not signed here, and Expired."""
        if not raw.isascii():
            raise ValueError("not signed here")
        try:
            contents, signed_at = self._serializer.loads(raw, return_timestamp=True)
            lifetime_ms, value = msgspec.convert(contents, self._shape)
            expires_at = signed_at + timedelta(milliseconds=lifetime_ms)
        except (BadData, msgspec.ValidationError, OverflowError):
            raise ValueError("not signed here") from None
        signed = Signed(value, signed_at, expires_at)
        if self._clock() >= signed.expires_at:
            raise Expired("expired")
        return signed


class SessionSigner(Signer[str]):
    """The values of the ``embed_session`` cookie, which hold a session's id."""

    def __init__(self, secret_keys: Sequence[str], clock: Clock) -> None:
        super().__init__(secret_keys, "embed session", clock, str)

    def find_session_id(self, raw: str) -> str | None:
        """Return the session's id, or None for a forged, truncated or expired cookie."""
        try:
            return self.unsign(raw).value
        except ValueError:
            return None


class _ClockSigner(TimestampSigner):
    """Uses a given clock, and whole milliseconds."""

    def __init__(self, *arguments: Any, clock: Clock, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._clock = clock

    def get_timestamp(self) -> int:
        return to_ms(self._clock())

    def timestamp_to_datetime(self, ts: int) -> datetime:
        return from_ms(ts)
