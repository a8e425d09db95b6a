"""The visitor's session, identified by a signed cookie (docs/api.md, The session cookie)."""

from flask import Response, g, request
from itsdangerous import BadSignature

from embed.domain.identifiers import make_id
from embed.submissions.soft_rejections import SESSION_LIFETIME
from embed.web.current import runtime

COOKIE = "embed_session"
_PURPOSE = "embed session"


def find_session_id() -> str | None:
    """Return the id in the request's cookie, or None unless the cookie is ours and still valid."""
    session_id: str | None = g.get("session_id", "")
    if session_id == "":  # not read yet
        try:
            raw = request.cookies.get(COOKIE, "")
            session_id = runtime().signer.read(_PURPOSE, raw, str).value
        except BadSignature:
            session_id = None
        g.session_id = session_id
    return session_id


def renew_session(response: Response) -> None:
    """Start a session, or extend the current one to 30 days from now."""
    session_id = find_session_id() or make_id()
    response.set_cookie(
        COOKIE,
        runtime().signer.sign(_PURPOSE, session_id, SESSION_LIFETIME),
        max_age=SESSION_LIFETIME,
        path="/embed",
        secure=True,
        httponly=True,
        samesite="None",
        # Browsers drop a cross-site frame's cookie without it.
        partitioned=True,
    )
