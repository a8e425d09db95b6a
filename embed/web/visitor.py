"""The visitor's session, identified by a signed cookie (docs/api.md, The session cookie)."""

from flask import Response, request

from embed.domain import session_cookies
from embed.domain.identifiers import make_id
from embed.domain.session_cookies import SESSION_LIFETIME
from embed.web.current import runtime

COOKIE = "embed_session"


def find_session_id() -> str | None:
    raw = request.cookies.get(COOKIE)
    return None if raw is None else session_cookies.find_session_id(raw, runtime().signer)


def renew_session(response: Response) -> None:
    """Start a session, or extend the present one by 30 days from now."""
    session_id = find_session_id() or make_id()
    response.set_cookie(
        COOKIE,
        session_cookies.sign_session_id(session_id, runtime().signer),
        max_age=SESSION_LIFETIME,
        path="/embed",
        secure=True,
        httponly=True,
        samesite="None",
        # Browsers drop a cross-site frame's cookie without it.
        partitioned=True,
    )
