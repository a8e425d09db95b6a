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
    if "session_id" not in g:
        try:
            raw = request.cookies.get(COOKIE, "")
            g.session_id = runtime().signer.read(_PURPOSE, raw, str).value
        except BadSignature:
            g.session_id = None
    return g.session_id  # type: ignore[no-any-return]  # just set


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
