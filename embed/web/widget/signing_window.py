"""The top-level window in which wallets sign that never appear inside a frame."""

from flask import Response, render_template

from embed.web.assets import compress
from embed.web.current import runtime
from embed.web.widget.blueprint import blueprint, read_look, respond


@blueprint.get("/sign")
@compress.compressed()
def show_signing_window() -> Response:
    """Render the top-level window for wallets that never appear inside a frame.

    It holds nothing: what to sign, and for which site, it is told by the frame that opened it.
    """
    page = render_template("widget/sign.html", look=read_look(), scripts=runtime().extra_scripts)
    return respond(page, ancestors="'none'")
