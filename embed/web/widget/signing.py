"""How a wallet signs: the steps in the frame, the signing window, and a phone's own browser."""

from functools import lru_cache
from urllib.parse import quote, urlencode

import segno
from flask import Response, render_template, request

from embed.domain.identifiers import is_id, is_key
from embed.errors import ApiError
from embed.serializers import describe_page
from embed.web.compression import compress
from embed.web.current import own_origin, runtime
from embed.web.languages import current_language
from embed.web.look import read_look
from embed.web.security_headers import allow_loading
from embed.web.widget.blueprint import (
    blueprint,
    get_open_page,
    get_public_access,
    respond,
    respond_with_part,
)


@blueprint.get("/tracking/<page_id>/flow")
@compress.compressed()
def show_flow(page_id: str) -> Response:
    """Render the part of a page with the steps to add a wallet or ask for its records.

    Raises ApiError as the iframe route does.
    """
    access, page = get_open_page(page_id)
    html = render_template(
        "widget/flow_part.html",
        page_id=page_id,
        key=request.args["key"],
        page=describe_page(page),
        policy=page,
        links=build_links(page_id),
    )
    return respond_with_part(html, access)


@blueprint.get("/sign")
@compress.compressed()
def show_signing_window() -> Response:
    """Render the signing window, a top-level window for wallets that do not work in a frame.

    It contains no data: the frame that opened it sends the message to sign and the site. The page
    and the key in the address, if any, only make links to the list, which checks them itself.
    """
    page_id, key = request.args.get("page", ""), request.args.get("key", "")
    look = read_look(fields=("theme", "accent"))  # no other choice reaches this window
    html = render_template(
        "widget/sign.html",
        page_id=page_id,
        key=key,
        links=build_links(page_id) if is_id(page_id) and is_key(key) else None,
        look=look,
        scripts=runtime().extra_scripts,
    )
    return respond(html, ancestors="'none'", look=look)


@blueprint.get("/tracking/<page_id>/qr.svg")
def draw_qr_code(page_id: str) -> Response:
    """Return a QR code that opens the widget in the browser of a phone's wallet."""
    get_public_access(page_id)
    wallet = request.args.get("wallet", "")
    links = build_links(page_id)
    if wallet not in links:
        raise ApiError("not_found")
    response = Response(
        _draw(links[wallet]),
        content_type="image/svg+xml; charset=utf-8",
        headers={"Cache-Control": "private, max-age=3600"},
    )
    allow_loading(response)  # a sandboxed frame without an origin counts as another site
    return response


@lru_cache(maxsize=256)  # drawing takes most of the request's time
def _draw(link: str) -> str:
    """Return an SVG document of about 7 KB."""
    code = segno.make(link, error="m").svg_inline(scale=4, border=2, light="#fff")
    return code.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


def build_links(page_id: str) -> dict[str, str]:
    """Return the addresses that open this widget in the browsers of phone wallets."""
    arguments = {"key": request.args["key"], "lang": current_language()}
    own = own_origin()
    target = quote(f"{own}/embed/tracking/{page_id}?{urlencode(arguments)}", safe="")
    ref = quote(own, safe="")
    return {
        "phantom": f"https://phantom.app/ul/browse/{target}?ref={ref}",
        "solflare": f"https://solflare.com/ul/v1/browse/{target}?ref={ref}",
    }
