"""Shared by all pages of the widget: the key, theme and accent, and response headers."""

import re

from flask import Blueprint, Response, request

from embed.db.models import Page
from embed.errors import ApiError
from embed.keys.access import Access, get_access
from embed.pages import find_page
from embed.web.security_headers import restrict_content

blueprint = Blueprint("widget", __name__)

THEMES = ("light", "dark", "auto")
_COLOR = re.compile(r"[0-9a-f]{6}")


def get_public_access(page_id: str) -> Access:
    """Return the access of the key in the address.

    Raises ApiError `missing_key`, `invalid_key`, `revoked_key`.
    """
    raw_key = request.args.get("key")
    if not raw_key:
        raise ApiError("missing_key")
    access = get_access(raw_key)
    # A secret key in an address is a leak, so it is refused.
    if access.tier != "public" or access.page_id != page_id:
        raise ApiError("invalid_key")
    return access


def get_open_page(page_id: str) -> tuple[Access, Page]:
    """Return the access of the key in the address, and its page, which everybody may read.

    Raises ApiError as get_public_access does, and `not_found`, `embed_disabled`.
    """
    access = get_public_access(page_id)
    page = find_page(page_id)
    if page is None or access.is_page_deleted:
        raise ApiError("not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")
    return access, page


def read_look() -> dict[str, str | bool | None]:
    """Return the requested theme and accent; invalid values become the default.

    A frame knows neither the colors of its site nor, in all browsers, its color scheme; following
    the visitor's device would make a black box of it on a light site. So unless a theme is asked
    for, it is light and has a surface of its own. In a window of its own, the device decides.
    """
    theme = request.args.get("theme")
    accent = request.args.get("accent", "").removeprefix("#").lower()
    is_asked = theme in THEMES
    is_alone = request.headers.get("Sec-Fetch-Dest") == "document"
    return {
        "theme": theme if is_asked else "auto" if is_alone else "light",
        "has_surface": not is_asked and not is_alone,
        "accent": f"#{accent}" if _COLOR.fullmatch(accent) else None,
    }


def respond(html: str, *, ancestors: str | None) -> Response:
    """Return a response that loads only the service's own files.

    `ancestors` are the sites that may frame it; None: every site.
    """
    response = Response(html)
    policy = restrict_content(response)
    policy.form_action = "'none'"
    if ancestors is not None:
        policy.frame_ancestors = ancestors
    # The address contains the key, so other sites see the origin only. Not no-referrer, since
    # the widget's own requests need a Referer.
    response.headers["Referrer-Policy"] = "strict-origin"
    response.headers["Cache-Control"] = "private, no-store"
    response.vary.update(("Accept-Language", "Cookie"))
    return response
