"""The steps of adding a wallet and of asking for its records, loaded when they are wanted."""

from flask import Response, render_template, request

from embed.serializers import describe_page
from embed.web.compression import compress
from embed.web.widget.blueprint import blueprint, get_open_page, respond
from embed.web.widget.wallet_links import build_links


@blueprint.get("/tracking/<page_id>/flow")
@compress.compressed()
def show_flow(page_id: str) -> Response:
    """Render the steps and their sentences, a part of a page.

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
    response = respond(html, ancestors="'none'")
    if access.allows_null_origin and request.headers.get("Origin") == "null":
        # A frame in a sandbox has no origin of its own; the API answers such frames as well.
        response.headers["Access-Control-Allow-Origin"] = "null"
    return response
