"""Shared by all pages of the widget: the key and the page, requested wallets, response headers."""

from flask import Blueprint, Response, request

from embed.db.models import Page
from embed.errors import ApiError
from embed.keys.access import Access, get_access
from embed.pages import find_page
from embed.web.look import ShownLook
from embed.web.security_headers import hash_source, restrict_content

blueprint = Blueprint("widget", __name__)


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


def get_open_access(page_id: str) -> Access:
    """Return the access of the key in the address, to a page that everyone may read.

    Raises ApiError as get_public_access does, and `not_found`, `embed_disabled`.
    """
    access = get_public_access(page_id)
    if access.is_page_deleted:
        raise ApiError("not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")
    return access


def get_open_page(page_id: str) -> tuple[Access, Page]:
    """Return that access with its page. Raises ApiError as get_open_access does."""
    access, page = get_open_access(page_id), find_page(page_id)
    if page is None:
        raise ApiError("not_found")
    return access, page


def respond(html: str | bytes, *, ancestors: str | None, look: ShownLook | None = None) -> Response:
    """Return a response that loads only the service's own files.

    `ancestors` are the sites that may frame it; None: every site. `look` is that of a whole page.
    """
    response = Response(html)
    policy = restrict_content(response)
    if look is not None and look.style is not None:
        policy.style_src = f"'self' {hash_source(look.style)}"
    policy.form_action = "'self'"
    if ancestors is not None:
        policy.frame_ancestors = ancestors
    # The address contains the key, so other sites see the origin only. Not no-referrer, since
    # the widget's own requests need a Referer.
    response.headers["Referrer-Policy"] = "strict-origin"
    response.headers["Cache-Control"] = "private, no-store"
    response.vary.update(("Accept-Language", "Cookie"))
    return response


def respond_with_part(html: str | bytes, access: Access) -> Response:
    """Return a response with a part of the widget's page, for its scripts."""
    response = respond(html, ancestors="'none'")
    if access.allows_null_origin and request.headers.get("Origin") == "null":
        # A sandboxed frame has no origin of its own; the API answers such frames too.
        response.headers["Access-Control-Allow-Origin"] = "null"
    return response
