"""What the cookie of a visitor's session holds (docs/api.md, The session cookie)."""

from datetime import timedelta

from itsdangerous import BadSignature

from embed.domain.signing import Signer

SESSION_LIFETIME = timedelta(days=30)
_PURPOSE = "embed session"


def sign_session_id(session_id: str, signer: Signer) -> str:
    return signer.sign(_PURPOSE, session_id, SESSION_LIFETIME)


def find_session_id(raw: str, signer: Signer) -> str | None:
    """Return the session's id; None for a forged, truncated or expired cookie."""
    try:
        return signer.read(_PURPOSE, raw, str).value
    except BadSignature:
        return None
