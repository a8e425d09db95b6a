"""The value of the ``embed_session`` cookie (spec 2.7)."""

from collections.abc import Sequence
from datetime import timedelta

from embed.domain.signing import Signer
from embed.domain.times import Clock

SESSION_LIFETIME = timedelta(days=30)


class SessionSigner:
    """Turns session ids into cookie values and back."""

    def __init__(self, secret_keys: Sequence[str], clock: Clock) -> None:
        self._signer = Signer(secret_keys, "embed session", clock, str)

    def sign(self, session_id: str) -> str:
        return self._signer.sign(session_id, SESSION_LIFETIME)

    def find_session_id(self, raw: str) -> str | None:
        """Return the session's id, or None for a forged, truncated or expired cookie."""
        try:
            return self._signer.unsign(raw).value
        except ValueError:
            return None
