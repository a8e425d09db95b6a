"""The list of a page that is not there yet, for the preview of the set-up."""

import re

from flask import Response, request

from embed.errors import ApiError
from embed.wallets.drafts import read_draft
from embed.web.current import runtime
from embed.web.widget.blueprint import blueprint, respond
from embed.web.widget.rendered import render_draft

_SCRIPTS = re.compile(rb'<script.*?</script>|<link rel="modulepreload"[^>]*>', re.DOTALL)


@blueprint.get("/draft")
def show_draft() -> Response:
    """Show the list that the set-up has signed. Raises ApiError `not_found`."""
    draft = read_draft(request.args.get("draft", ""), runtime().signer)
    if draft is None:
        raise ApiError("not_found")
    rendered = render_draft(draft)
    # A picture of the list: as scripts would show it, without any.
    html = _SCRIPTS.sub(b"", rendered.html).replace(
        b'<main id="widget"', b'<main data-ready id="widget"'
    )
    return respond(html, ancestors="'self'", look=rendered.look)
