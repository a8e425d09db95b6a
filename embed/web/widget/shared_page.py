"""A page that its owner makes public by link: its address, its frame for other sites, its counts.

No address holds a key. The frame leads to the iframe route with the page's present one, so
what other sites have stored goes on working after SECRET_KEY was changed.
"""

from urllib.parse import urlencode

from flask import Response, render_template, request, url_for

from embed.db.models import Page
from embed.errors import ApiError
from embed.keys import derived
from embed.public_payload import payloads
from embed.public_payload.payloads import Payload, PayloadKey
from embed.serializers import write_json
from embed.web.compression import compress
from embed.web.current import own_origin, runtime
from embed.web.look import read_look
from embed.web.security_headers import allow_isolated_hosts
from embed.web.snippets import ARGUMENTS, add_arguments, build_link, build_path, name_list
from embed.web.widget.blueprint import blueprint, respond
from embed.web.widget.counts import Counts, let_caches_keep


@blueprint.get("/page/<page_id>")
@compress.compressed()
def show_shared_page(page_id: str) -> Response:
    """Show the list as a page of its own, with what other sites read of it.

    Raises ApiError `not_found`, also for a page that is not public by link.
    """
    page = get_shared_page(page_id)
    look = read_look(page.look)
    address, arguments = build_link(page_id), _read_arguments()
    theme = {"theme": look.attributes["data-theme"]}
    html = render_template(
        "widget/shared_page.html",
        look=look,
        title=name_list(page),
        description=page.public_comments or Counts.of(read_payload(page)).write(),
        address=address,
        oembed=f"{own_origin()}/oembed?{urlencode({'url': add_arguments(address, arguments)})}",
        frame=add_arguments(
            url_for("widget.show_shared_frame", page_id=page_id), theme | arguments
        ),
    )
    response = respond(html, ancestors=None, look=look)
    response.content_security_policy.frame_src = "'self'"
    allow_isolated_hosts(response)
    return response


@blueprint.get("/page/<page_id>/frame")
def show_shared_frame(page_id: str) -> Response:
    """Lead a frame to the widget. Raises ApiError `not_found`."""
    page = get_shared_page(page_id)
    key = derived.get_link_key(page, runtime().settings.secret_keys)
    response = Response(status=302)
    response.location = build_path(page, key, **_read_arguments())
    response.headers["Cache-Control"] = "no-store"
    allow_isolated_hosts(response)
    return response


@blueprint.get("/page/<page_id>/count.json")
def read_counts(page_id: str) -> Response:
    """Return the counts, also as a sentence. Raises ApiError `not_found`."""
    counts = Counts.of(read_payload(get_shared_page(page_id)))
    body = {"wallets": counts.wallets, "share": counts.share, "text": counts.write()}
    return let_caches_keep(Response(write_json(body), content_type="application/json"))


def get_shared_page(page_id: str) -> Page:
    """Raises ApiError `not_found`."""
    page = derived.find_shared_page(page_id)
    if page is None:
        raise ApiError("not_found")
    return page


def read_payload(page: Page) -> Payload:
    return payloads.get_payload(PayloadKey(page.id, page.version, runtime().settings.uses_chain))


def _read_arguments() -> dict[str, str]:
    return {name: request.args[name] for name in ARGUMENTS if name in request.args}
