"""The Atom feed (RFC 4287) of wallets that joined or left a page's list."""

import re
from urllib.parse import urlencode, urlsplit

from flask import Response, render_template, request

from embed.db.models import Page
from embed.domain.times import format_instant
from embed.wallets.listings import list_events
from embed.web.compression import compress
from embed.web.current import own_origin
from embed.web.languages import current_language
from embed.web.widget.blueprint import blueprint, get_open_page

MAX_ENTRIES = 100

# Characters that XML 1.0 can't hold, even escaped (https://www.w3.org/TR/xml/#charsets).
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_TAG_URI = re.compile("[^0-9A-Za-z.-]")  # RFC 4151; such as an IPv6 address


@blueprint.get("/tracking/<page_id>/feed.atom")
@compress.compressed()
def show_feed(page_id: str) -> Response:
    """Render the newest entries. Raises ApiError as the iframe route does."""
    _, page = get_open_page(page_id)
    events = list_events(page, MAX_ENTRIES)
    text = render_template(
        "widget/feed.xml",
        page=page,
        events=events,
        updated_at=events[0].happened_at if events else page.created_at,
        feed_id=_build_tag_uri(page),
        list_url=_build_url(page_id),
        feed_url=_build_url(f"{page_id}/feed.atom"),
        format_instant=format_instant,
    )
    response = Response(_NOT_IN_XML.sub("", text), content_type="application/atom+xml")
    response.headers["Cache-Control"] = "private, no-cache"
    response.vary.add("Accept-Language")
    # Weak, since the same feed may be compressed in different ways.
    response.add_etag(weak=True)
    response.make_conditional(request)
    return response


def _build_url(path: str) -> str:
    query = {"key": request.args["key"], "lang": current_language()}
    return f"{own_origin()}/embed/tracking/{path}?{urlencode(query)}"


def _build_tag_uri(page: Page) -> str:
    """Return an id that stays the same as long as the service keeps its host name."""
    host = _NOT_IN_TAG_URI.sub("-", urlsplit(own_origin()).hostname or "")
    return f"tag:{host},{page.created_at:%Y-%m-%d}:{page.id}"
