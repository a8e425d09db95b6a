"""The list of a page that doesn't exist yet, for the setup's preview."""

from flask import Response, request

from embed.errors import ApiError
from embed.wallets.drafts import read_draft
from embed.web.current import runtime
from embed.web.widget.blueprint import blueprint, respond
from embed.web.widget.rendered import render_draft


@blueprint.get("/draft")
def show_draft() -> Response:
    """Show the list that the setup has signed. Raises ApiError `not_found`."""
    draft = read_draft(request.args.get("draft", ""), runtime().signer)
    if draft is None:
        raise ApiError("not_found")
    rendered = render_draft(draft)
    return respond(rendered.html, ancestors="'self'", look=rendered.look)
