"""Security headers of HTML pages."""

from flask import Response
from werkzeug.datastructures import ContentSecurityPolicy


def restrict_content(response: Response) -> ContentSecurityPolicy:
    """Allow only content from this service, none of it inline; return the policy to extend it."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    policy = response.content_security_policy
    policy.default_src = policy.base_uri = "'none'"
    policy.script_src = policy.style_src = policy.connect_src = "'self'"
    policy.img_src = "'self' data:"  # wallets provide their icons as data: URLs
    return policy
