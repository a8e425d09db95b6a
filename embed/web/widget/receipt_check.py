"""The page that checks receipts without a server, as one file that also works from a disk."""

import base64
import hashlib
import re
from functools import cache

from flask import Response, request

from embed.web.assets import STATIC_DIR
from embed.web.compression import compress
from embed.web.widget.blueprint import blueprint

PAGE = STATIC_DIR / "check-receipts.html"


@blueprint.get("/check-receipts")
@compress.compressed()
def show_receipt_check() -> Response:
    """Return the page; it may load nothing, and send nothing."""
    html = _read_page()
    response = Response(html)
    policy = response.content_security_policy
    policy.default_src = policy.base_uri = policy.form_action = policy.frame_ancestors = "'none'"
    policy.img_src = "data:"
    policy.script_src = _hash_inline(html, "script")
    policy.style_src = _hash_inline(html, "style")
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag(weak=True)  # the same page may be compressed in different ways
    response.make_conditional(request)
    return response


@cache
def _read_page() -> str:
    return PAGE.read_text(encoding="utf-8")


@cache
def _hash_inline(html: str, tag: str) -> str:
    """Return the source expression of a policy that allows the page's only such element."""
    found = re.search(rf"<{tag}[^>]*>(.*?)</{tag}>", html, re.DOTALL)
    content = found[1] if found else ""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
