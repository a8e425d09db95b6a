"""oEmbed 1.0 (https://oembed.com): what other sites make of the link of a page."""

import re
from urllib.parse import parse_qsl, urlsplit

from flask import Blueprint, Response, request

from embed.domain.origins import parse_origin
from embed.errors import ApiError
from embed.serializers import write_json
from embed.web.current import own_origin
from embed.web.snippets import (
    ARGUMENTS,
    DEFAULT_HEIGHT,
    add_arguments,
    build_frame,
    build_link,
    name_list,
)
from embed.web.widget.counts import CACHED_FOR, let_caches_keep
from embed.web.widget.shared_page import get_shared_page

blueprint = Blueprint("oembed", __name__)

DEFAULT_WIDTH = 640  # pixels
_PATH = re.compile("/embed/page/([0-9A-Za-z]+)/?")
_SIZE = re.compile("0*([1-9][0-9]{0,5})")


@blueprint.get("/oembed")
def describe_link() -> Response:
    """Return the frame that shows a link's list.

    Another format than JSON is 501, as oEmbed has it. Raises ApiError `not_found` for any other
    address, `bad_request` for a size that is none.
    """
    if request.args.get("format", "json") != "json":
        refusal = Response('{"error": "unsupported_format"}', 501, content_type="application/json")
        refusal.headers["Cache-Control"] = "no-store"
        return refusal
    page_id, arguments = _read_link(request.args.get("url", ""))
    page = get_shared_page(page_id)
    width = min(DEFAULT_WIDTH, _read_size("maxwidth") or DEFAULT_WIDTH)
    height = min(DEFAULT_HEIGHT, _read_size("maxheight") or DEFAULT_HEIGHT)
    body = {
        "version": "1.0",
        "type": "rich",
        "title": name_list(page),
        "provider_name": "Tracking embed",
        "provider_url": own_origin(),
        "cache_age": int(CACHED_FOR.total_seconds()),
        "width": width,
        "height": height,
        "html": build_frame(
            page,
            add_arguments(f"{build_link(page.id)}/frame", arguments),
            f'width="{width}" height="{height}" frameborder="0"',
            theme=page.look.override(arguments).theme,
            style="max-width: 100%; ",
        ),
    }
    response = Response(write_json(body), content_type="application/json")
    return let_caches_keep(response, is_translated=False)


def _read_link(url: str) -> tuple[str, dict[str, str]]:
    """Return the page's id and what the link asks for. Raises ApiError `not_found`."""
    found = _PATH.fullmatch(urlsplit(url).path) if parse_origin(url) == own_origin() else None
    if found is None:
        raise ApiError("not_found")
    given = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    return found[1], {name: text for name, text in given if name in ARGUMENTS}


def _read_size(name: str) -> int | None:
    """Return the most pixels that an argument allows. Raises ApiError `bad_request`."""
    raw = request.args.get(name, "")
    if not raw:
        return None
    found = _SIZE.fullmatch(raw)
    if found is None:
        raise ApiError("bad_request")
    return int(found[1])
