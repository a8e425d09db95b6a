"""What every page of the widget shares: its key, its look, and what it may load."""

import re

from flask import Blueprint, Response, request

from embed.errors import ApiError
from embed.keys.access import Access, get_access
from embed.web.security_headers import restrict_to_own

blueprint = Blueprint("widget", __name__)

THEMES = ("auto", "light", "dark")
_COLOR = re.compile(r"[0-9a-f]{6}")


def get_public_access(page_id: str) -> Access:
    """Return what the key in the address opens.

    Raises ApiError `missing_key`, `invalid_key`, `revoked_key`.
    """
    raw_key = request.args.get("key")
    if not raw_key:
        raise ApiError("missing_key")
    access = get_access(raw_key)
    # A secret key in an address is a leak: it opens nothing here.
    if access.tier != "public" or access.page_id != page_id:
        raise ApiError("invalid_key")
    return access


def read_look() -> dict[str, str | None]:
    """Return theme and accent as asked for; what cannot be read is left at its default."""
    theme = request.args.get("theme", "auto")
    accent = request.args.get("accent", "").removeprefix("#").lower()
    return {
        "theme": theme if theme in THEMES else "auto",
        "accent": f"#{accent}" if _COLOR.fullmatch(accent) else None,
    }


def respond(html: str, *, ancestors: str | None) -> Response:
    """Answer a page that nothing but the service's own files may run in.

    `ancestors` are the sites that may frame it, None: every site.
    """
    response = Response(html)
    policy = restrict_to_own(response)
    policy.form_action = "'none'"
    if ancestors is not None:
        policy.frame_ancestors = ancestors
    # The address holds the key: other sites see the origin only. Never no-referrer, which
    # would take the widget's own requests their Referer.
    response.headers["Referrer-Policy"] = "strict-origin"
    response.headers["Cache-Control"] = "private, no-store"
    response.vary.update(("Accept-Language", "Cookie"))
    return response
