"""A page with a share link: its address, holders' cards, its frame for other sites, its counts.

No address contains a key. The frame redirects to the iframe route with the page's current key, so
what other sites have stored keeps working after SECRET_KEY changes.
"""

from datetime import timedelta
from typing import Any

from flask import Response, render_template, request, url_for

from embed.db.models import Page
from embed.errors import ApiError
from embed.keys import derived
from embed.public_payload import Payload, get_payload
from embed.serializers import write_json
from embed.web.compression import compress
from embed.web.current import own_host, own_origin, runtime
from embed.web.figures import format_share
from embed.web.languages import choose_named_language, current_language, gettext
from embed.web.look import read_look
from embed.web.pictures.addresses import build_card_link
from embed.web.pictures.canvas import HEIGHT, WIDTH
from embed.web.security_headers import allow_isolated_hosts, allow_loading
from embed.web.snippets import ARGUMENTS, add_arguments, build_link, build_path, name_list
from embed.web.widget.blueprint import blueprint, respond
from embed.web.widget.cards import get_card
from embed.web.widget.list_sentences import count_wallets, describe_list, find_list_share

COUNTS_CACHED_FOR = timedelta(minutes=5)


@blueprint.get("/page/<page_id>")
@compress.compressed()
def show_shared_page(page_id: str) -> Response:
    """Show the list as a page of its own, with what chats and other sites read about it.

    Raises ApiError `not_found`, also for a page without a share link.
    """
    page = get_shared_page(page_id)
    payload = read_payload(page)
    figures = describe_list(page, payload)
    return _respond(
        page,
        title=name_list(page),
        description=page.public_comments or figures,
        figures=figures,
        address=build_link(page_id),
        picture=url_for("widget.show_picture", page_id=page_id, **_name_version(payload)),
    )


@blueprint.get("/page/<page_id>/card/<wallet_id>")
@compress.compressed()
def show_card(page_id: str, wallet_id: str) -> Response:
    """Show the list with a holder's card as its picture. Raises ApiError `not_found`."""
    page = get_shared_page(page_id)
    payload = read_payload(page)
    card = get_card(page, payload, wallet_id)
    place, version = card.write_place(), _name_version(payload)
    return _respond(
        page,
        title=f"{card.name or place} · {name_list(page)}",
        description=place,
        figures=f"{place} · {card.write_since()}",
        address=build_card_link(page_id, wallet_id),
        picture=url_for(
            "widget.show_card_picture", page_id=page_id, wallet_id=wallet_id, **version
        ),
    )


def _name_version(payload: Payload) -> dict[str, Any]:
    """Return a picture's arguments: its language, and what makes chats load a new one."""
    return {"lang": current_language(), "v": payload.etag}


def _respond(page: Page, *, picture: str, **shown: str) -> Response:
    look = read_look(page.look)
    theme = {"theme": look.attributes["data-theme"]}
    html = render_template(
        "widget/shared_page.html",
        look=look,
        host=own_host(),
        picture=f"{own_origin()}{picture}",
        picture_size=(WIDTH, HEIGHT),
        frame=add_arguments(
            url_for("widget.show_shared_frame", page_id=page.id), theme | _read_arguments()
        ),
        **shown,
    )
    response = respond(html, ancestors=None, look=look)
    response.content_security_policy.frame_src = "'self'"
    allow_isolated_hosts(response)
    return response


@blueprint.get("/page/<page_id>/frame")
def show_shared_frame(page_id: str) -> Response:
    """Redirect a frame to the widget. Raises ApiError `not_found`."""
    page = get_shared_page(page_id)
    key = derived.get_link_key(page, runtime().secret_keys)
    response = Response(status=302)
    response.location = build_path(page, key, **_read_arguments())
    response.headers["Cache-Control"] = "no-store"
    allow_isolated_hosts(response)
    return response


@blueprint.get("/page/<page_id>/count.json")
def read_counts(page_id: str) -> Response:
    """Return the counts, also as a sentence, for every site and for shared caches.

    They reveal nothing else about the list. Raises ApiError `not_found`.
    """
    choose_named_language()
    payload = read_payload(get_shared_page(page_id))
    share, text = find_list_share(payload), count_wallets(payload.wallet_count)
    if share is not None:
        text += " · " + gettext("%(share)s of supply", share=format_share(share, 1))
    body = {"wallets": payload.wallet_count, "share": share, "text": text}
    response = Response(write_json(body), content_type="application/json")
    response.cache_control.public = True
    response.cache_control.max_age = int(COUNTS_CACHED_FOR.total_seconds())
    response.headers["Access-Control-Allow-Origin"] = "*"
    allow_loading(response)
    response.add_etag()
    response.make_conditional(request)
    return response


def get_shared_page(page_id: str) -> Page:
    """Return a page with a share link. Raises ApiError `not_found`."""
    page = derived.find_shared_page(page_id)
    if page is None:
        raise ApiError("not_found")
    return page


def read_payload(page: Page) -> Payload:
    return get_payload(page.id, page.version, runtime().balances)


def _read_arguments() -> dict[str, str]:
    return {name: request.args[name] for name in ARGUMENTS if name in request.args}
