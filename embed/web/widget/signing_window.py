"""The signing window, for wallets that do not work inside a frame."""

from flask import Response, render_template, request

from embed.domain.identifiers import is_id
from embed.domain.key_format import is_key
from embed.web.compression import compress
from embed.web.current import runtime
from embed.web.widget.blueprint import blueprint, read_look, respond
from embed.web.widget.wallet_links import build_links


@blueprint.get("/sign")
@compress.compressed()
def show_signing_window() -> Response:
    """Render the signing window, a top-level window.

    It contains no data: the frame that opened it sends the message to sign and the site. The page
    and the key in the address, if any, only make links to the list, which checks them itself.
    """
    page_id, key = request.args.get("page", ""), request.args.get("key", "")
    html = render_template(
        "widget/sign.html",
        page_id=page_id,
        key=key,
        links=build_links(page_id) if is_id(page_id) and is_key(key) else None,
        look=read_look(),
        scripts=runtime().extra_scripts,
    )
    return respond(html, ancestors="'none'")
