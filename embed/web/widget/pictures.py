"""The pictures of a page: its logo, and what chats show of its share link and of holders' cards."""

from collections.abc import Callable, Hashable
from functools import cache

from flask import Response, request

from embed import logos
from embed.db.models import Page
from embed.domain.colors import find_tag_color
from embed.errors import ApiError
from embed.public_payload import Payload
from embed.wallets.joined import NEW_FOR, list_joined
from embed.web.assets import CACHED_FOR, STATIC_DIR
from embed.web.current import runtime
from embed.web.drawings import draw_avatar
from embed.web.languages import choose_named_language
from embed.web.pictures.canvas import Logo, Part
from embed.web.pictures.card_picture import CardPicture, draw_card
from embed.web.pictures.kept import KeptPictures
from embed.web.pictures.letters import choose_drawable
from embed.web.pictures.list_picture import MAX_FACES, ListPicture, draw_list
from embed.web.security_headers import allow_loading
from embed.web.widget.blueprint import blueprint
from embed.web.widget.cards import Card, get_card
from embed.web.widget.holders import Segment, draw_bar, list_holders
from embed.web.widget.list_sentences import (
    write_figures,
    write_joined,
    write_sentence,
    write_signed,
    write_symbol,
)
from embed.web.widget.shared_page import COUNTS_CACHED_FOR, get_shared_page, read_payload

_kept = KeptPictures()


@blueprint.get("/page/<page_id>/logo/<digest>.webp")
def show_logo(page_id: str, digest: str) -> Response:
    """Return a page's logo; another one has another address. Raises ApiError `not_found`."""
    logo = logos.find_logo(page_id)
    if logo is None or logo.digest != digest:
        raise ApiError("not_found")
    response = Response(bytes(logo.content), content_type="image/webp")
    response.cache_control.public = response.cache_control.immutable = True
    response.cache_control.max_age = int(CACHED_FOR.total_seconds())
    allow_loading(response)  # also in a frame without an origin
    return response


@blueprint.get("/page/<page_id>/picture.png")
def show_picture(page_id: str) -> Response:
    """Return the picture of a list with a share link. Raises ApiError `not_found`."""
    page = get_shared_page(page_id)
    payload, language = read_payload(page), choose_named_language()
    shown = (page.id, payload.etag, language, runtime().clock().date())
    return _respond(shown, lambda: draw_list(_describe_list(page, payload)))


@blueprint.get("/page/<page_id>/card/<wallet_id>.png")
def show_card_picture(page_id: str, wallet_id: str) -> Response:
    """Return the picture of a holder's card. Raises ApiError `not_found`."""
    page = get_shared_page(page_id)
    payload, language = read_payload(page), choose_named_language()
    card = get_card(page, payload, wallet_id)
    shown = (page.id, payload.etag, language, wallet_id)
    return _respond(shown, lambda: draw_card(_describe_card(page, payload, card)))


def _respond(shown: Hashable, draw: Callable[[], bytes]) -> Response:
    """Return a picture, or this service's mark while another picture is drawn."""
    picture = _kept.find(shown, draw)
    response = Response(_read_mark() if picture is None else picture, content_type="image/png")
    allow_loading(response)
    if picture is None:
        response.headers["Cache-Control"] = "no-store"
        return response
    response.cache_control.public = True
    response.cache_control.max_age = int(COUNTS_CACHED_FOR.total_seconds())
    response.add_etag()
    response.make_conditional(request)
    return response


@cache
def _read_mark() -> bytes:
    return (STATIC_DIR / "look" / "mark.png").read_bytes()


def _describe_list(page: Page, payload: Payload) -> ListPicture:
    joined = list_joined(page, runtime().clock() - NEW_FOR)
    largest = payload.read_wallets(payload.standings.orders["balance"][:MAX_FACES])
    addresses = [one.address for one in joined] + [one["address"] for one in largest]
    return ListPicture(
        logo=_describe_logo(page),
        titles=[title for title in (page.public_title, page.token_name) if title],
        sentence=write_sentence(payload),
        figures=write_figures(payload),
        parts=[_color(one, page.look.accent) for one in draw_bar(list_holders(payload))],
        faces=[draw_avatar(one) for one in list(dict.fromkeys(addresses))[:MAX_FACES]],
        signed=write_signed(payload.proved_count),
        joined=write_joined(len(joined)),
    )


def _describe_card(page: Page, payload: Payload, card: Card) -> CardPicture:
    return CardPicture(
        logo=_describe_logo(page),
        token=page.token_name,
        symbol=write_symbol(payload.details),
        face=draw_avatar(card.address),
        name=card.name or "",
        place=card.write_place(),
        figures=card.write_figures(),
        since=card.write_since(),
        title=page.public_title or "",
    )


def _describe_logo(page: Page) -> Logo:
    stored = logos.find_logo(page.id)
    letter = choose_drawable(page.token_name, page.token_symbol)[:1].upper()
    return Logo(bytes(stored.content) if stored else None, letter, page.look.accent)


def _color(segment: Segment, accent: str) -> Part:
    """Return a part of the bar in its tag's color, or in the accent if it's one wallet's."""
    holder = segment.holder
    if holder is None:
        return Part(segment.width, None)
    if holder.tag is None:
        return Part(segment.width, accent)
    return Part(segment.width, find_tag_color(holder.tag.color), holder.tag.is_counted)
