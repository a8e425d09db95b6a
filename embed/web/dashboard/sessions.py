"""The dashboard's session, in a cookie that no other host can set."""

from datetime import timedelta
from urllib.parse import urlsplit

from flask import Flask, Request, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface

LOCAL_NAME = "embed_dashboard"
# Browsers accept a cookie of this name only if it is Secure, for / and without a Domain: other
# hosts of the same domain cannot set it (RFC 6265bis, section 4.1.3.2).
NAME = f"__Host-{LOCAL_NAME}"
LIFETIME = timedelta(days=14)


class DashboardSessions(SecureCookieSessionInterface):
    """Flask's session cookie, with another name on localhost, where there may be no TLS."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Skip the API and the widget, which do not use this session, to save time."""
        if not request.path.startswith("/dashboard"):
            return None
        return super().open_session(app, request)

    def get_cookie_name(self, app: Flask) -> str:
        return LOCAL_NAME if _is_local() else NAME

    def get_cookie_path(self, app: Flask) -> str:
        return "/dashboard" if _is_local() else "/"

    def get_cookie_secure(self, app: Flask) -> bool:
        return not _is_local()


def _is_local() -> bool:
    return urlsplit(request.host_url).hostname in ("localhost", "127.0.0.1", "::1")
