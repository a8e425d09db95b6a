"""Links and QR codes that open the widget in the browser of a phone's wallet."""

from functools import lru_cache
from urllib.parse import quote, urlencode

import segno
from flask import Response, request

from embed.errors import ApiError
from embed.web.current import own_origin
from embed.web.languages import current_language
from embed.web.security_headers import allow_loading
from embed.web.widget.blueprint import blueprint, get_public_access


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
    allow_loading(response)  # a frame in a sandbox without an origin is another site, too
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
