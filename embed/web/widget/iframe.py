"""The iframe route (spec 4.6) and what belongs to it: what visitors see inside other sites."""

import re
from typing import Any
from urllib.parse import quote, urlencode

import segno
from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue

from embed import public_payload
from embed.domain.origins import decide_origin, parse_origin
from embed.errors import ApiError
from embed.keys.access import Access, get_access
from embed.keys.refused_origins import record_refused_origin
from embed.pages import find_page
from embed.web.assets import compress
from embed.web.current import own_origin, runtime
from embed.web.languages import current_language
from embed.web.security_headers import restrict_to_own
from embed.web.visitor import find_session_id, renew_session

blueprint = Blueprint("widget", __name__)

THEMES = ("auto", "light", "dark")
WALLETS_PER_PAGE = 100
_COLOR = re.compile(r"[0-9a-f]{6}")


@blueprint.get("/tracking/<page_id>")
@compress.compressed()
def show_widget(page_id: str) -> Response:
    """Render the page's list and set the session cookie.

    Raises ApiError `missing_key`, `invalid_key`, `revoked_key`, `not_found`, `embed_disabled`.
    """
    access = _get_public_access(page_id)
    page = find_page(page_id)
    if page is None or access.is_page_deleted:
        raise ApiError("not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")
    payload = public_payload.read_payload(page_id, access.page_version)
    response = _respond(
        render_template(
            "widget/page.html",
            page_id=page_id,
            key=request.args["key"],
            page=payload,
            policy=page,
            site=_find_site(access),
            look=_read_look(),
            shown=_choose_part(payload["wallets"]),
            links=_build_links(page_id),
            scripts=runtime().extra_scripts,
        ),
        ancestors=_list_ancestors(access),
    )
    _record_refused_site(access)
    renew_session(response)
    return response


@blueprint.get("/sign")
@compress.compressed()
def show_signing_window() -> Response:
    """Render the top-level window for wallets that never appear inside a frame.

    It holds nothing: what to sign, and for which site, it is told by the frame that opened it.
    """
    page = render_template("widget/sign.html", look=_read_look(), scripts=runtime().extra_scripts)
    return _respond(page, ancestors="'none'")


@blueprint.get("/session")
def tell_session() -> ResponseReturnValue:
    """Tell the frame whether the browser sends the cookie, which scripts cannot see."""
    return {"hasSession": find_session_id() is not None}, {"Cache-Control": "no-store"}


@blueprint.get("/tracking/<page_id>/qr.svg")
def draw_qr_code(page_id: str) -> Response:
    """Draw the widget's own address, for a phone to open in its wallet's browser."""
    _get_public_access(page_id)
    wallet = request.args.get("wallet", "")
    links = _build_links(page_id)
    if wallet not in links:
        raise ApiError("not_found")
    code = segno.make(links[wallet], error="m").svg_inline(scale=4, border=2, light="#fff")
    return Response(
        code.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1),
        content_type="image/svg+xml",
        headers={"Cache-Control": "private, max-age=3600"},
    )


def _respond(html: str, *, ancestors: str | None) -> Response:
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


def _get_public_access(page_id: str) -> Access:
    raw_key = request.args.get("key")
    if not raw_key:
        raise ApiError("missing_key")
    access = get_access(raw_key)
    # A secret key in an address is a leak: it opens nothing here.
    if access.tier != "public" or access.page_id != page_id:
        raise ApiError("invalid_key")
    return access


def _find_site(access: Access) -> str | None:
    """Return the site that embeds the widget, if it is on the key's list and says so."""
    site = parse_origin(request.headers.get("Referer", ""))
    return site if site in access.origins else None


def _record_refused_site(access: Access) -> None:
    """Let the owner see a site whose frame the browser will leave empty (frame-ancestors)."""
    is_framed = request.headers.get("Sec-Fetch-Dest") in ("iframe", "frame")
    if not is_framed or access.allows_null_origin:
        return
    decision = decide_origin(
        raw_origin=None,
        raw_referer=request.headers.get("Referer"),
        allowlist=access.origins,
        allows_null=False,
        find_own_origin=own_origin,
    )
    if decision.refused_origin is not None:
        record_refused_origin(access.key_id, decision.refused_origin, runtime().clock())


def _read_look() -> dict[str, str | None]:
    """Return theme and accent as asked for; what cannot be read is left at its default."""
    theme = request.args.get("theme", "auto")
    accent = request.args.get("accent", "").removeprefix("#").lower()
    return {
        "theme": theme if theme in THEMES else "auto",
        "accent": f"#{accent}" if _COLOR.fullmatch(accent) else None,
    }


def _choose_part(wallets: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the wallets to render; a script shows the others, or links where there is none."""
    last = max(1, -(-len(wallets) // WALLETS_PER_PAGE))
    number = min(max(1, request.args.get("page", 1, type=int)), last)
    start = (number - 1) * WALLETS_PER_PAGE
    arguments = {name: value for name, value in request.args.items() if name != "page"}

    def link(to: int) -> str | None:
        return f"?{urlencode(arguments | {'page': to})}" if 1 <= to <= last else None

    return {
        "wallets": wallets[start : start + WALLETS_PER_PAGE],
        "number": number,
        "last": last,
        "previous": link(number - 1),
        "next": link(number + 1),
    }


def _build_links(page_id: str) -> dict[str, str]:
    """Return the addresses that open this widget in the browsers of phone wallets."""
    arguments = {"key": request.args["key"], "lang": current_language()}
    own = own_origin()
    target = quote(f"{own}/embed/tracking/{page_id}?{urlencode(arguments)}", safe="")
    ref = quote(own, safe="")
    return {
        "phantom": f"https://phantom.app/ul/browse/{target}?ref={ref}",
        "solflare": f"https://solflare.com/ul/v1/browse/{target}?ref={ref}",
    }


def _list_ancestors(access: Access) -> str | None:
    """Say who may frame the page.

    No policy can name local files and sandboxed parents, so a key that allows the null
    origin gets no frame-ancestors.
    """
    if access.allows_null_origin:
        return None
    return " ".join(("'self'", *access.origins))
