"""The signing window, for wallets that do not work inside a frame."""

from flask import Response, render_template

from embed.web.compression import compress
from embed.web.current import runtime
from embed.web.widget.blueprint import blueprint, read_look, respond


@blueprint.get("/sign")
@compress.compressed()
def show_signing_window() -> Response:
    """Render the signing window, a top-level window.

    It contains no data: the frame that opened it sends the message to sign and the site.
    """
    page = render_template("widget/sign.html", look=read_look(), scripts=runtime().extra_scripts)
    return respond(page, ancestors="'none'")
