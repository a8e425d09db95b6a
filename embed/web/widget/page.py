"""The widget's page and its parts for scripts, rendered once for everyone who gets the same."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import urlencode

from cachetools import LFUCache, LRUCache, cached
from flask import render_template, request
from werkzeug.http import quote_etag

from embed.balances.history import find_total_change
from embed.balances.tokens import Supply
from embed.db.models import Page, TrackedWallet
from embed.domain.addresses import is_address
from embed.domain.look import FIELDS, Look
from embed.domain.origins import parse_origin
from embed.keys.access import Access
from embed.public_payload import WALLETS_PER_PART, Payload, build_payload
from embed.wallets.drafts import Draft
from embed.wallets.joined import NEW_FOR, Joined, list_joined
from embed.web.current import own_origin, runtime
from embed.web.languages import current_language
from embed.web.look import ShownLook, is_window, read_look
from embed.web.pictures.addresses import locate_logo
from embed.web.shared_cache import SharedCache
from embed.web.snippets import build_link, build_path
from embed.web.widget.holders import draw_bar, list_holders
from embed.web.widget.own import render_own
from embed.web.widget.rows import Edition, render_rows
from embed.web.widget.view import Links, View, choose_places, count_parts, read_view

STRIP = ("size", "strip")  # the argument for a list 72 px high
STRIP_FACES = 12
MAX_CACHED_BYTES = 16 * 1024 * 1024  # in each process; a page takes about 60 KB
MAX_SUMMED = 5_000  # wallets whose changes are added up, from a row or two each

# Marks the visitor's own submissions in the template; texts from others are escaped.
_OWN = b"<!--own-->"


class Variant(NamedTuple):
    """What a page or a part of it depends on, besides the list itself."""

    page_id: str
    key: str
    language: str
    look: tuple[tuple[str, str], ...]  # what the address asks for
    view: View
    is_part: bool  # only what changes with the view, for scripts
    is_window: bool
    site: str | None  # that embeds it, if it is on the key's list
    origin: str  # of this service

    @property
    def is_kept(self) -> bool:
        return not self.view.search and self.view.first == self.view.last

    @property
    def arguments(self) -> dict[str, str]:
        """Return the arguments of the same list's address."""
        return {"key": self.key, "lang": self.language, **dict(self.look)}


@dataclass(frozen=True, slots=True)
class Rendered:
    etag: str  # of the list
    look: ShownLook
    html: bytes  # for a visitor without submissions
    digest: str | None  # of what is kept
    own: slice | None = None  # where the visitor's own submissions go, in a list's whole page

    def __len__(self) -> int:
        return len(self.html)

    def insert(self, own: str) -> bytes:
        """Return the page with a visitor's own submissions; a strip has no place for them."""
        if self.own is None:
            return self.html
        return self.html[: self.own.start] + own.encode() + self.html[self.own.stop :]


# Drops the least used, so a flood of odd addresses can't empty it.
_kept = SharedCache[Variant, Rendered](LFUCache(MAX_CACHED_BYTES, getsizeof=len))


def get_rendered(access: Access, edition: Edition, *, is_part: bool = False) -> Rendered:
    """Return the page that this request asks for, or only the parts that depend on its view.

    What a search finds isn't kept, nor are many parts of the list at once.
    """
    payload, page = edition.payload, edition.payload.page
    look = read_look(page.look)
    view, places = choose_places(payload, read_view(payload, look.look))
    variant = Variant(
        page_id=page.id,
        key=request.args["key"],
        language=current_language(),
        look=tuple((name, request.args[name]) for name in FIELDS if name in request.args),
        view=view,
        is_part=is_part,
        is_window=is_window(),
        site=_find_site(access),
        origin=own_origin(),
    )
    if not variant.is_kept:
        return _render(variant, access, edition, places, look)
    found = _kept.get(variant)
    if found is None or found.etag != edition.etag:
        found = _render(variant, access, edition, places, look)
        _kept.set(variant, found)
    return found


def list_ancestors(access: Access) -> str | None:
    """Return the value of frame-ancestors, or None for no restriction.

    The policy can't name local files or sandboxed frames, so a key that allows the null origin gets
    none. A page opened by its share link may be shown everywhere.
    """
    if access.allows_null_origin or access.is_link:
        return None
    return " ".join(("'self'", *access.origins))


def render_draft(draft: Draft) -> Rendered:
    """Return the page with the list that the draft describes."""
    page = Page(
        token_name=draft.name or "", token_symbol=draft.symbol or "…", token_mint=draft.mint
    )
    wallets = [
        TrackedWallet(address, address, None, False, balance, (), False, False)
        for address, balance in draft.holders
    ]
    payload = build_payload(page, wallets, [], draft.supply)
    supply = None if draft.supply is None else Supply(draft.supply, runtime().clock())
    edition = Edition.of(payload, supply)
    access = Access(
        key_id="", page_id=page.id, tier="public", origins=(), is_link=False,
        allows_null_origin=False, is_revoked=False, page_version=1, is_page_deleted=False,
        is_page_open=True, min_balance=Decimal(0), has_blocks=False, last_used_at=None,
    )  # fmt: skip
    look = read_look(page.look)
    view, places = choose_places(payload, read_view(payload, look.look))
    variant = Variant(page.id, "", current_language(), (), view, False, False, None, own_origin())
    return _render(variant, access, edition, places, look, is_draft=True)


def _render(
    variant: Variant,
    access: Access,
    edition: Edition,
    places: Sequence[int],
    look: ShownLook,
    *,
    is_draft: bool = False,
) -> Rendered:
    payload, page = edition.payload, edition.payload.page
    if STRIP in variant.look:
        return _finish(variant, edition, look, _render_strip(variant, payload, look))
    html = render_template(
        "widget/part.html" if variant.is_part else "widget/page.html",
        is_draft=is_draft,
        page_id=page.id,
        key=variant.key,
        address=build_link(page.id)
        if access.is_link
        else f"{variant.origin}{build_path(page, variant.key)}",
        policy=page,
        site=variant.site,
        is_for_any_site=list_ancestors(access) is None,
        allows_null_origin=access.allows_null_origin,
        scripts=runtime().extra_scripts,
        look=look,
        hidden=look.look.hide,
        etag=quote_etag(edition.etag, weak=True),
        **_describe_list(variant, edition, places, look.look),
    )
    if is_draft or variant.is_part:
        return _finish(variant, edition, look, html.encode())
    before, _, after = html.encode().partition(_OWN)
    own = render_own(edition, []).encode()
    rendered = _finish(variant, edition, look, before + own + after)
    return replace(rendered, own=slice(len(before), len(before) + len(own)))


def _finish(variant: Variant, edition: Edition, look: ShownLook, html: bytes) -> Rendered:
    digest = hashlib.blake2b(html, digest_size=16).hexdigest() if variant.is_kept else None
    return Rendered(edition.etag, look, html, digest)


def _describe_list(
    variant: Variant, edition: Edition, places: Sequence[int], look: Look
) -> dict[str, Any]:
    """Return what the parts of the page that depend on its view show."""
    payload, view, hidden = edition.payload, variant.view, look.hide
    rows, facts = render_rows(edition, view, places, look), _read_facts(edition)
    holders = list_holders(payload)
    return {
        "page": payload.details,
        "wallet_count": payload.wallet_count,
        "counts": payload.standings.counts,
        "has_balances": bool(payload.standings.highest),
        "view": view,
        "links": Links(variant.arguments, view, count_parts(places)),
        "rows": rows.html,
        "has_changes": rows.has_changes,
        "found_count": len(places),
        "first_shown": 1 if variant.is_part else (view.first - 1) * WALLETS_PER_PART + 1,
        "last_shown": min(view.last * WALLETS_PER_PART, len(places)),
        "is_unlisted": is_address(view.search) and payload.find_place(view.search) is None,
        "holders": holders,
        "bar": draw_bar(holders),
        "logo": facts.logo,
        "joined": [] if "joined" in hidden else facts.joined,
        "proved_count": payload.proved_count,
        "supply": edition.supply,
        "again_after": int(runtime().settings.balance_max_age.total_seconds()),
        "change": None if "changes" in hidden else facts.change,
    }


def _render_strip(variant: Variant, payload: Payload, look: ShownLook) -> bytes:
    arguments = variant.arguments
    del arguments["size"]
    if variant.site:
        arguments["site"] = variant.site
    places = payload.standings.orders["balance"][:STRIP_FACES]
    return render_template(
        "widget/strip.html",
        page=payload.details,
        look=look,
        wallets=payload.read_wallets(places),
        wallet_count=payload.wallet_count,
        proved_count=payload.proved_count,
        address=f"?{urlencode(arguments)}",
    ).encode()


def _find_site(access: Access) -> str | None:
    """Return the site of the widget, or of the strip that led here, if it's on the allowlist."""
    for raw in (request.headers.get("Referer", ""), request.args.get("site", "")):
        site = parse_origin(raw)
        if site in access.origins:
            return site
    return None


class _Facts(NamedTuple):
    """What the page says of the list that isn't in its payload."""

    logo: str | None  # its address
    joined: list[Joined]
    change: Decimal | None  # of what all wallets hold, over a day, as a part of 1


@cached(LRUCache(256), key=lambda edition: (edition.payload.page.id, edition.etag), lock=Lock())
def _read_facts(edition: Edition) -> _Facts:
    payload, page, now = edition.payload, edition.payload.page, runtime().clock()
    is_summed = runtime().balances.uses_chain and payload.wallet_count <= MAX_SUMMED
    return _Facts(
        locate_logo(page),
        list_joined(page, now - NEW_FOR),
        find_total_change(page, now) if is_summed else None,
    )
