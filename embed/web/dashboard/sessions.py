"""The dashboard's session, in a cookie that no other host can set."""

import hashlib
from datetime import timedelta
from typing import Any, TypedDict, cast
from urllib.parse import urlsplit

import msgspec
from flask import Flask, Request, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from itsdangerous import BadSignature, TimestampSigner

from embed.people.sessions import IDLE_FOR, SEEN_STORED_EVERY

LOCAL_NAME = "embed_dashboard"
# Browsers accept a cookie of this name only if it is Secure, for / and without a Domain: other
# hosts of the same domain cannot set it (RFC 6265bis, section 4.1.3.2).
NAME = f"__Host-{LOCAL_NAME}"
# What scripts ask for by themselves is no visit, and its answer must not bring back the session
# of before a form that was sent at the same moment.
BACKGROUND_ENDPOINTS = {"dashboard.read_news", "dashboard.show_contrast", "dashboard.show_preview"}


class _Values(TypedDict, total=False):
    """What the session may hold: our own values, and those of Flask and Flask-Login."""

    _user_id: str
    _fresh: bool
    _permanent: bool
    _flashes: list[tuple[str, str]]
    csrf_token: str


class _Session(SecureCookieSession):
    is_old = False  # its cookie was sent an hour ago or more


class DashboardSessions(SecureCookieSessionInterface):
    """Flask's session cookie, with another name on localhost, where there may be no TLS."""

    digest_method = staticmethod(hashlib.sha256)  # Flask's own is SHA-1

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Skip the API and the widget, which do not use this session, to save time."""
        if not request.path.startswith("/dashboard"):
            return None
        values, age = self._read(app, request.headers.get("Cookie", ""), self.get_cookie_name(app))
        session = _Session(values)
        session.is_old = age >= SEEN_STORED_EVERY
        return session

    def _read(self, app: Flask, cookies: str, name: str) -> tuple[dict[str, Any], timedelta]:
        """Return what a valid session in a Cookie header holds, and how long ago it was signed."""
        serializer = self.get_signing_serializer(app)
        raw = _find_cookie(cookies, name)
        if serializer is None or raw is None:
            return {}, timedelta()
        try:
            max_age_s = int(IDLE_FOR.total_seconds())
            values, signed_at = serializer.loads(raw, max_age=max_age_s, return_timestamp=True)
            msgspec.convert(values, _Values)  # another version of the service may have signed it
        except (BadSignature, msgspec.ValidationError):
            return {}, timedelta()
        signer = cast(TimestampSigner, serializer.make_signer())
        age = timedelta(seconds=signer.get_timestamp() - signed_at.timestamp())
        return values, age

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """Send it where it changed, and once an hour, so that it lasts.

        Each time would let a slow answer bring back the cookie of before "Is it you?".
        """
        if request.endpoint in BACKGROUND_ENDPOINTS:
            return False
        return session.modified or (session.permanent and cast(_Session, session).is_old)

    def get_cookie_name(self, app: Flask) -> str:
        return LOCAL_NAME if _is_local() else NAME

    def get_cookie_path(self, app: Flask) -> str:
        return "/dashboard" if _is_local() else "/"

    def get_cookie_secure(self, app: Flask) -> bool:
        return not _is_local()


def _find_cookie(cookies: str, name: str) -> str | None:
    """Read a cookie as browsers write it.

    Not from request.cookies, where two cookies of another host that hold a quotation mark each
    swallow what is between them.
    """
    pairs = (pair.strip(" ").partition("=") for pair in cookies.split(";"))
    return next((value for key, _, value in pairs if key == name), None)


def _is_local() -> bool:
    return urlsplit(request.host_url).hostname in ("localhost", "127.0.0.1", "::1")
