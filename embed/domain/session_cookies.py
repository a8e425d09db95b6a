"""The sealed value of the ``embed_session`` cookie (spec 2.7)."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from embed.domain.signing import Signer
from embed.domain.times import from_ms, to_ms

SESSION_LIFETIME = timedelta(days=30)


class SessionSigner:
    """Turns session ids into cookie values and back."""

    def __init__(self, secret_keys: Sequence[str]) -> None:
        self._seal = Signer(secret_keys, "embed session")

    def close(self, session_id: str, now: datetime) -> str:
        return self._seal.close([session_id, to_ms(now)])

    def find_session_id(self, raw: str, now: datetime) -> str | None:
        """Return the session's id; a forged, cut or expired cookie is as good as none."""
        try:
            session_id, sealed_ms = self._seal.open(raw)
        except ValueError:
            return None
        if now >= from_ms(sealed_ms) + SESSION_LIFETIME:
            return None
        return str(session_id)
