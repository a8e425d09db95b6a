"""What the pages for people tell browsers to keep to."""

from flask import Response
from werkzeug.datastructures import ContentSecurityPolicy


def restrict_to_own(response: Response) -> ContentSecurityPolicy:
    """Let a page load what this service serves and nothing inline; return its policy for more."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    policy = response.content_security_policy
    policy.default_src = policy.base_uri = "'none'"
    policy.script_src = policy.style_src = policy.connect_src = "'self'"
    policy.img_src = "'self' data:"  # wallets hand over their icons as data
    return policy
