"""The dashboard's session, in a cookie that no other host can set."""

import hashlib
from datetime import timedelta
from typing import TypedDict, cast
from urllib.parse import urlsplit

import msgspec
from flask import Flask, Request, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, TimestampSigner

from embed.web.dashboard import undo

LOCAL_NAME = "embed_dashboard"
# Browsers accept a cookie of this name only if it is Secure, for / and without a Domain: other
# hosts of the same domain cannot set it (RFC 6265bis, section 4.1.3.2).
NAME = f"__Host-{LOCAL_NAME}"
LIFETIME = timedelta(days=14)
# What scripts ask for by themselves is no visit, and its answer must not bring back the session
# of before a form that was sent at the same moment.
BACKGROUND_ENDPOINTS = {"dashboard.read_news"}


class _Values(TypedDict, total=False):
    """What the session may hold: our own values, and those of Flask, Flask-Login and Flask-WTF."""

    _user_id: str
    _fresh: bool
    _permanent: bool
    _flashes: list[tuple[str, str]]
    csrf_token: str
    decided: list[undo.Stored]


class DashboardSessions(SecureCookieSessionInterface):
    """Flask's session cookie, with another name on localhost, where there may be no TLS."""

    digest_method = staticmethod(hashlib.sha256)  # Flask's own is SHA-1

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Skip the API and the widget, which do not use this session, to save time."""
        if not request.path.startswith("/dashboard"):
            return None
        serializer = self.get_signing_serializer(app)
        raw = _find_cookie(request, self.get_cookie_name(app))
        if serializer is None or raw is None:
            return self.session_class()
        try:
            # Not by max_age, which refuses what was signed before the clock went back.
            values, signed_at = serializer.loads(raw, return_timestamp=True)
            msgspec.convert(values, _Values)  # another version of the service may have signed it
        except (BadSignature, msgspec.ValidationError):
            return self.session_class()
        signer = cast(TimestampSigner, serializer.make_signer())
        age_s = signer.get_timestamp() - signed_at.timestamp()
        return self.session_class(values if age_s <= LIFETIME.total_seconds() else None)

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        return request.endpoint not in BACKGROUND_ENDPOINTS and super().should_set_cookie(
            app, session
        )

    def get_cookie_name(self, app: Flask) -> str:
        return LOCAL_NAME if _is_local() else NAME

    def get_cookie_path(self, app: Flask) -> str:
        return "/dashboard" if _is_local() else "/"

    def get_cookie_secure(self, app: Flask) -> bool:
        return not _is_local()


def _find_cookie(request: Request, name: str) -> str | None:
    """Read a cookie as browsers write it.

    Not from request.cookies, where two cookies of another host that hold a quotation mark each
    swallow what is between them.
    """
    pairs = (
        pair.strip(" ").partition("=") for pair in request.headers.get("Cookie", "").split(";")
    )
    return next((value for key, _, value in pairs if key == name), None)


def _is_local() -> bool:
    return urlsplit(request.host_url).hostname in ("localhost", "127.0.0.1", "::1")
