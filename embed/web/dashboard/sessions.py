"""The dashboard's session, in a cookie that no other host can set."""

import hashlib
from urllib.parse import urlsplit

from flask import Flask, Request, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature

from embed.people.sessions import IDLE_FOR

LOCAL_NAME = "embed_dashboard"
# Browsers accept a cookie of this name only if it is Secure, for / and without a Domain: other
# hosts of the same domain cannot set it (RFC 6265bis, section 4.1.3.2).
NAME = f"__Host-{LOCAL_NAME}"


class DashboardSessions(SecureCookieSessionInterface):
    """Flask's session cookie, with another name on localhost, where there may be no TLS."""

    digest_method = staticmethod(hashlib.sha256)  # Flask's own is SHA-1

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Skip the API and the widget, which do not use this session, to save time."""
        if not request.path.startswith("/dashboard"):
            return None
        serializer = self.get_signing_serializer(app)
        raw = _find_cookie(request.headers.get("Cookie", ""), self.get_cookie_name(app))
        if serializer is None or raw is None:
            return self.session_class()
        try:
            return self.session_class(serializer.loads(raw, max_age=int(IDLE_FOR.total_seconds())))
        except BadSignature:
            return self.session_class()

    def get_cookie_name(self, app: Flask) -> str:
        return LOCAL_NAME if _is_local() else NAME

    def get_cookie_path(self, app: Flask) -> str:
        return "/dashboard" if _is_local() else "/"

    def get_cookie_secure(self, app: Flask) -> bool:
        return not _is_local()


def _find_cookie(cookies: str, name: str) -> str | None:
    """Read a cookie as browsers write it.

    request.cookies also removes other spaces than U+0020 before a name, with which another host
    could set it, and joins what stands between quotation marks.
    """
    pairs = (pair.strip(" ").partition("=") for pair in cookies.split(";"))
    return next((value for key, _, value in pairs if key == name), None)


def _is_local() -> bool:
    return urlsplit(request.host_url).hostname in ("localhost", "127.0.0.1", "::1")
