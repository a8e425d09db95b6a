"""The iframe route (spec 4.6): what visitors see inside somebody else's site."""

from flask import Blueprint, Response, render_template, request

from embed import payloads
from embed.api_keys import Access
from embed.errors import ApiError
from embed.web.auth import get_access
from embed.web.visitor import renew_session

blueprint = Blueprint("widget", __name__)


@blueprint.get("/tracking/<page_id>")
def show_widget(page_id: str) -> Response:
    """Render the page's list and set the session cookie.

    Raises ApiError `missing_key`, `invalid_key`, `revoked_key`, `not_found`, `embed_disabled`.
    """
    access = _get_public_access(page_id)
    if access.is_page_deleted:
        raise ApiError("not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")
    page = payloads.build_payload(page_id)
    response = Response(render_template("widget/page.html", page=page))
    response.headers["Content-Security-Policy"] = _build_policy(access)
    # The address holds the key: other sites see the origin only. Never no-referrer, which
    # would take the widget's own requests their Referer.
    response.headers["Referrer-Policy"] = "strict-origin"
    response.headers["Cache-Control"] = "private, no-store"
    renew_session(response)
    return response


def _get_public_access(page_id: str) -> Access:
    raw_key = request.args.get("key")
    if not raw_key:
        raise ApiError("missing_key")
    access = get_access(raw_key)
    # A secret key in an address is a leak: it opens nothing here.
    if access.tier != "public" or access.page_id != page_id:
        raise ApiError("invalid_key")
    return access


def _build_policy(access: Access) -> str:
    """Say who may frame the page, and that it loads nothing but our own files.

    No policy can name local files and sandboxed parents, so a key that allows the null
    origin gets no frame-ancestors.
    """
    directives = [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    if not access.allows_null_origin:
        directives.append(" ".join(("frame-ancestors 'self'", *access.origins)))
    return "; ".join(directives)
