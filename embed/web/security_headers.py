"""Security headers: those of every answer, and the content policy of HTML pages."""

from datetime import timedelta

from flask import Flask, Response, request
from werkzeug.datastructures import ContentSecurityPolicy

from embed.settings import Settings

HTTPS_REMEMBERED_FOR = timedelta(days=365)
# For other answers than pages, such as JSON: a browser that opens one as a page loads nothing.
_NOTHING = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"


def init_security_headers(app: Flask, settings: Settings) -> None:
    is_public_by_https = (settings.public_url or "").startswith("https://")
    # Not includeSubDomains: other hosts below this one may not have HTTPS.
    transport_policy = f"max-age={int(HTTPS_REMEMBERED_FOR.total_seconds())}"

    @app.after_request
    def add_security_headers(response: Response) -> Response:
        if response.status_code != 304:  # which has no content of its own
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers.setdefault("Content-Security-Policy", _NOTHING)
        if is_public_by_https and request.is_secure:
            response.headers["Strict-Transport-Security"] = transport_policy
        return response


def restrict_content(response: Response) -> ContentSecurityPolicy:
    """Allow only content from this service, none of it inline; return the policy to extend it."""
    policy = response.content_security_policy
    policy.default_src = policy.base_uri = "'none'"
    policy.script_src = policy.style_src = policy.connect_src = "'self'"
    policy.img_src = "'self' data:"  # wallets provide their icons as data: URLs
    return policy
