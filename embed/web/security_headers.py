"""Security headers: those of every answer, and the content policy of HTML pages."""

import base64
import hashlib

from flask import Response, request
from werkzeug.datastructures import ContentSecurityPolicy

_HTTPS_REMEMBERED_S = 365 * 24 * 60 * 60
# Says what other sites may load as an image, a script or a frame; doesn't affect CORS.
_RESOURCE_POLICY = "Cross-Origin-Resource-Policy"
# For answers that don't set their own.
_DEFAULTS_OF_FILES = (("X-Content-Type-Options", "nosniff"), (_RESOURCE_POLICY, "same-origin"))
_DEFAULTS = (
    *_DEFAULTS_OF_FILES,
    # For answers other than pages, such as JSON: opened as a page, they load nothing.
    ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
)


def add_security_headers(response: Response, path: str, public_url: str) -> None:
    """Add to the answer for a path the headers that it doesn't set itself."""
    headers = response.headers
    if response.status_code != 304:  # no content of its own
        # Scripts and style sheets are shown as text; the page that loads them has a policy.
        is_file = path.startswith("/static/") and path.endswith((".js", ".css"))
        present = {name for name, _ in headers}
        for name, value in _DEFAULTS_OF_FILES if is_file else _DEFAULTS:
            if name not in present:
                headers.add(name, value)
    if public_url.startswith("https://") and request.scheme == "https":
        # Not includeSubDomains: other hosts below this one may not have HTTPS.
        headers["Strict-Transport-Security"] = f"max-age={_HTTPS_REMEMBERED_S}"


def isolate(response: Response) -> None:
    """Cut a page off from the window that opened it, unless it has its own policy."""
    response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")


def restrict_content(response: Response) -> ContentSecurityPolicy:
    """Allow only content from this service, none of it inline; return the policy for additions."""
    policy = response.content_security_policy
    policy.default_src = policy.base_uri = "'none'"
    policy.script_src = policy.style_src = policy.connect_src = "'self'"
    policy.img_src = "'self' data:"  # wallets provide their icons as data: URLs
    require_trusted_types(policy, allowed="pages")  # static/elements.js
    return policy


def require_trusted_types(policy: ContentSecurityPolicy, *, allowed: str = "'none'") -> None:
    """Keep scripts from turning text into HTML or code; `allowed` names a policy that still may."""
    policy["require-trusted-types-for"], policy["trusted-types"] = "'script'", allowed


def hash_source(content: str) -> str:
    """Return the policy's source expression that allows an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def allow_loading(response: Response) -> None:
    """Let every site load the response, even one with a Cross-Origin-Embedder-Policy.

    Only for content that's the same for all visitors, since it enters such a site's process.
    """
    response.headers[_RESOURCE_POLICY] = "cross-origin"


def allow_isolated_hosts(response: Response) -> None:
    """Let sites with a Cross-Origin-Embedder-Policy frame the response, which then needs one too.

    https://html.spec.whatwg.org/multipage/browsers.html#coep
    """
    response.headers["Cross-Origin-Embedder-Policy"] = "require-corp"
    response.headers[_RESOURCE_POLICY] = "cross-origin"
