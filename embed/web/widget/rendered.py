"""The widget's page, rendered once for all visitors who get the same one."""

import hashlib
import threading
from collections.abc import Container
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import urlencode

from cachetools import LFUCache, LRUCache, cached
from flask import render_template, request
from werkzeug.http import quote_etag

from embed.balances.history import find_total_change, has_history
from embed.balances.tokens import Supply
from embed.db.models import APPROVED, Page, TrackedWallet
from embed.domain.amounts import add, find_share, subtract
from embed.domain.look import FIELDS, resolve_order
from embed.domain.origins import parse_origin
from embed.errors import ApiError
from embed.keys.access import Access
from embed.keys.derived import is_shared
from embed.pages import find_page
from embed.public_payload import NO_PART, Payload, build_payload
from embed.schemas import Tag
from embed.serializers import describe_proof
from embed.submissions.proofs import count_proved, read_visible_proofs
from embed.wallets.drafts import Draft
from embed.web.current import own_origin, runtime
from embed.web.languages import current_language
from embed.web.look import ShownLook, is_window, read_look
from embed.web.snippets import build_link, build_path

STRIP = ("size", "strip")  # the argument for a list 72 px high
STRIP_FACES = 12
MAX_CACHED_BYTES = 16 * 1024 * 1024  # in each process; a page takes about 60 KB
LARGEST = 5  # wallets in the bar of a list without tags
MAX_SUMMED = 5_000  # wallets whose changes are added up, from a row or two each

# The explorers that a look may name: the text of a link, and where it leads.
EXPLORERS = {
    "solana": ("Solana Explorer", "https://explorer.solana.com/address/"),
    "solscan": ("Solscan", "https://solscan.io/account/"),
    "orb": ("Orb", "https://orbmarkets.io/address/"),
}

# Marks the visitor's own submissions in the template; texts from others are escaped.
_OWN = b"<!--own-->"


class Variant(NamedTuple):
    """The parts of a page that depend on the address, the site and the visitor."""

    page_id: str
    key: str
    language: str
    look: tuple[tuple[str, str], ...]  # what the address asks for
    part: int  # of the list, for visitors without scripts
    is_window: bool
    site: str | None  # that embeds it, if it is on the key's list
    origin: str  # of this service

    @property
    def arguments(self) -> dict[str, str]:
        """Return the arguments of the same list's address."""
        return {"key": self.key, "lang": self.language, **dict(self.look)}


@dataclass(frozen=True, slots=True)
class Rendered:
    etag: str  # of the payload; changes with the page, its keys or its proofs
    supply: Supply | None  # with the time when balances were read
    look: ShownLook
    html: bytes  # for a visitor without submissions
    digest: str
    own: slice | None  # where the visitor's own submissions go; None in a strip
    link: str | None  # the share link

    def __len__(self) -> int:
        return len(self.html)

    def insert(self, own: str) -> bytes:
        """Return the page with a visitor's own submissions; a strip has no place for them."""
        if self.own is None:
            return self.html
        return self.html[: self.own.start] + own.encode() + self.html[self.own.stop :]


def make_cache(max_bytes: int) -> LFUCache[Variant, Rendered]:
    """Return a cache that drops the least used, so a flood of odd addresses can't empty it."""
    return LFUCache(maxsize=max_bytes, getsizeof=len)


_rendered = make_cache(MAX_CACHED_BYTES)
_lock = threading.Lock()


def get_rendered(access: Access, payload: Payload) -> Rendered:
    """Return the page that this request asks for, made from its payload."""
    variant = Variant(
        page_id=access.page_id,
        key=request.args["key"],
        language=current_language(),
        look=tuple((name, request.args[name]) for name in FIELDS if name in request.args),
        part=min(max(1, request.args.get("page", 1, type=int)), payload.part_count),
        is_window=is_window(),
        site=_find_site(access),
        origin=own_origin(),
    )
    supply = runtime().balances.find_supply(payload.details["tokenMint"])
    with _lock:
        found = _rendered.get(variant)
    if found is None or (found.etag, found.supply) != (payload.etag, supply):
        found = _render(variant, access, payload, supply)
        with _lock:
            _rendered[variant] = found
    return found


def render_own(
    page_id: str,
    own: list[dict[str, Any]],
    payload: Payload,
    *,
    link: str | None,
    hidden: Container[str] = (),
) -> str:
    """Return the page's part with the visitor's own submissions, without the `hidden` rows."""
    rows = [one for one in _choose_rows(own) if one["id"] not in hidden]
    listed = {}
    for one in rows:
        if one["status"] in APPROVED:
            address = one["walletAddress"]
            place = payload.find_place(address)
            if place is not None:
                listed[address] = _describe(payload.read_wallets([place])[0], place, payload)
    return render_template(
        "widget/own.html",
        page_id=page_id,
        key=request.args["key"],
        own=own,
        rows=rows,
        listed=listed,
        wallet_count=payload.wallet_count,
        link=link,
    )


def _choose_rows(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per wallet, and only the newest refusal of each kind, as own.js does.

    Pending ones come first, then approved ones; cooldown refusals come last, since the owner's
    rejection before them says more. The rows are above the list: any that appeared later would push
    it down.
    """
    rows, seen = [], set[str]()
    for one in sorted(own, key=_find_order):
        kinds = {one["walletAddress"]}
        if one["status"] == "soft_rejected":
            kinds.add(one["rejectReason"])
        if seen.isdisjoint(kinds):
            seen |= kinds
            rows.append(one)
    return rows


def _find_order(one: dict[str, Any]) -> tuple[bool, bool, bool]:
    status = one["status"]
    return status != "pending", status not in APPROVED, one.get("rejectReason") == "cooldown"


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
    supply = None if draft.supply is None else Supply(draft.supply, runtime().clock())
    access = Access(
        key_id="", page_id=page.id, tier="public", origins=(), is_link=False,
        allows_null_origin=False, is_revoked=False, page_version=1, is_page_deleted=False,
        is_page_open=True, min_balance=Decimal(0), has_blocks=False, last_used_at=None,
    )  # fmt: skip
    variant = Variant(page.id, "", current_language(), (), 1, False, None, own_origin())
    return _render(variant, access, build_payload(page, wallets, [], draft.supply), supply, page)


def _render(
    variant: Variant,
    access: Access,
    payload: Payload,
    supply: Supply | None,
    draft: Page | None = None,
) -> Rendered:
    page, uses_chain = draft or find_page(variant.page_id), runtime().balances.uses_chain
    if page is None:
        raise ApiError("not_found")
    if STRIP in variant.look:
        return _render_strip(variant, page, payload, supply)
    look, segments = read_look(page.look), _list_segments(payload)
    if segments:
        look = replace(look, style=(look.style or "") + _write_widths(segments))
    hidden = look.look.hide
    order = resolve_order(look.look.order, has_balances=payload.standings.highest > 0)
    if order == "newest":  # the script doesn't know it yet
        order = "listed"
    shown = _choose_wallets(payload, order, variant)
    ids = [one["id"] for one in shown["wallets"]]
    path = build_path(page, variant.key)
    html = render_template(
        "widget/page.html",
        is_draft=draft is not None,
        page_id=page.id,
        key=variant.key,
        address=build_link(page.id) if access.is_link else f"{variant.origin}{path}",
        page=payload.details,
        wallet_count=payload.wallet_count,
        standings=payload.standings,
        order=order,
        explorer=EXPLORERS.get(look.look.explorer),
        etag=quote_etag(payload.etag, weak=True),
        policy=page,
        site=variant.site,
        is_for_any_site=list_ancestors(access) is None,
        allows_null_origin=access.allows_null_origin,
        look=look,
        hidden=hidden,
        shown=shown,
        supply=supply,
        again_after=int(runtime().settings.balance_max_age.total_seconds()),
        segments=segments,
        change=_find_change(page, supply, runtime().clock())
        if uses_chain and "changes" not in hidden and payload.wallet_count <= MAX_SUMMED
        else None,
        proofs={
            name: describe_proof(proof) for name, proof in read_visible_proofs(page, ids).items()
        },
        has_changes=uses_chain
        and "changes" not in hidden
        and has_history(page, [one["address"] for one in shown["wallets"]]),
        scripts=runtime().extra_scripts,
    )
    before, _, after = html.encode().partition(_OWN)
    link = build_link(page.id) if is_shared(page.id) else None
    own = b"" if draft else render_own(page.id, [], payload, link=link).encode()
    whole = before + own + after
    own_part = slice(len(before), len(before) + len(own))
    return Rendered(payload.etag, supply, look, whole, _digest(whole), own_part, link)


def _render_strip(
    variant: Variant, page: Page, payload: Payload, supply: Supply | None
) -> Rendered:
    look, places = read_look(page.look), payload.list_places(1, "balance")[:STRIP_FACES]
    arguments = variant.arguments
    del arguments["size"]
    html = render_template(
        "widget/strip.html",
        page=payload.details,
        look=look,
        wallets=payload.read_wallets(places),
        wallet_count=payload.wallet_count,
        proved_count=count_proved(page),
        address=f"?{urlencode(arguments)}",
    ).encode()
    return Rendered(payload.etag, supply, look, html, _digest(html), None, None)


def _digest(html: bytes) -> str:
    return hashlib.blake2b(html, digest_size=16).hexdigest()


def _find_site(access: Access) -> str | None:
    """Return the site that embeds the widget, if it sent a Referer that is on the allowlist."""
    site = parse_origin(request.headers.get("Referer", ""))
    return site if site in access.origins else None


def _choose_wallets(payload: Payload, order: str, variant: Variant) -> dict[str, Any]:
    """Return the wallets to render; a script shows the others, or links do without one."""
    number, last = variant.part, payload.part_count
    wallets = zip(payload.list_places(number, order), payload.read_part(number, order), strict=True)

    def link(to: int) -> str | None:
        return f"?{urlencode(variant.arguments | {'page': to})}" if 1 <= to <= last else None

    return {
        "wallets": [_describe(wallet, place, payload) for place, wallet in wallets],
        "number": number,
        "last": last,
        "previous": link(number - 1),
        "next": link(number + 1),
    }


def _describe(wallet: dict[str, Any], place: int, payload: Payload) -> dict[str, Any]:
    """Add a wallet's place in the list, its rank, its share, and its bar's length out of 100."""
    balance, standings = wallet["tokenBalance"], payload.standings
    part = balance / standings.highest if standings.highest else 0
    return wallet | {
        "place": place,
        "rank": standings.ranks[place],
        "part": f"{round(float(part) * 100, 1):g}",
        "share": find_share(balance, payload.details.get("supply")) if balance else None,
    }


# Above the list: the bar of who holds the token, and how much their total has changed


class Segment(NamedTuple):
    """A part of the bar: the wallets that the list shows alone when it's pressed."""

    filter: str  # as static/widget/holders.js reads it
    balance: Decimal
    share: Decimal | None  # of the supply
    wallet_count: int
    elsewhere: int = 0  # wallets with the tag that are in another part
    tag: Tag | None = None
    wallet: dict[str, Any] | None = None  # if it's the only one
    width: int = 0  # of 1,000


def _list_segments(payload: Payload) -> list[Segment]:
    """Return a part for each tag of the page, else for each of the largest wallets.

    Empty if that would be one part, or if nothing is held.
    """
    parts, supply = payload.standings.parts, payload.details.get("supply")
    counts = payload.standings.counts
    tags = [tag for tag in payload.details["tags"] if counts.get(tag.id)]
    segments: list[Segment] = []
    if not payload.standings.highest:
        return segments
    for tag in (*tags, None) if tags else ():
        balance, count = parts.get(tag and tag.id, NO_PART)
        all_of_tag = counts[tag.id] if tag else count
        if all_of_tag:
            share, elsewhere = find_share(balance, supply), all_of_tag - count
            name = f"tag:{tag.id if tag else ''}"
            segments.append(Segment(name, balance, share, all_of_tag, elsewhere, tag))
    if not tags:
        segments = _list_largest(payload)
    total = add(*(one.balance for one in segments))
    wide = [one._replace(width=round(1000 * one.balance / total)) for one in segments]
    return wide if len(wide) > 1 else []


def _list_largest(payload: Payload) -> list[Segment]:
    supply, (total, wallet_count) = payload.details.get("supply"), payload.standings.parts[None]
    largest = payload.read_wallets(payload.standings.orders["balance"][:LARGEST])
    segments = []
    for wallet in largest:
        balance = wallet["tokenBalance"]
        if not balance:
            break
        share = find_share(balance, supply)
        segments.append(Segment(f"wallet:{wallet['id']}", balance, share, 1, wallet=wallet))
        total = subtract(total, balance)
    if rest := wallet_count - len(segments):
        segments.append(Segment("rest", total, find_share(total, supply), rest))
    return segments


def _write_widths(segments: list[Segment]) -> str:
    """Return CSS rules, since the policy allows no style attributes."""
    return "".join(
        f".owned button:nth-child({number}){{flex-grow:{one.width}}}"
        for number, one in enumerate(segments, 1)
    )


# New balances come with a new time of the supply, or else a new version of the page.
@cached(LRUCache(256), key=lambda page, supply, now: (page.id, page.version, supply))
def _find_change(page: Page, supply: Supply | None, now: datetime) -> Decimal | None:
    return find_total_change(page, now)
