"""The visitor's own wallets above the list: those on it, those that wait, and refusals."""

import hashlib
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from cachetools import LRUCache, cached
from flask import Response, render_template, request
from werkzeug.http import quote_etag

from embed.db.models import APPROVED, Submission
from embed.domain.identifiers import is_id
from embed.keys.derived import is_shared
from embed.submissions import queries
from embed.web.compression import compress
from embed.web.current import runtime
from embed.web.figures import Column
from embed.web.pictures.addresses import build_card_link
from embed.web.visitor import find_session_id
from embed.web.widget.blueprint import blueprint, get_open_access, respond_with_part
from embed.web.widget.rows import Edition, ListedWallet, describe_wallet, read_edition

HIDDEN_COOKIE = "embed_hidden"  # ids of rows that the visitor has hidden, as own.js writes it
MAX_SENT = 20  # submissions without a session that one request may ask for


class OwnRow(NamedTuple):
    submission: Submission
    listed: ListedWallet | None
    again_at: datetime | None  # when a rejected wallet can be sent again, unless it can now
    card: str | None  # where its holder's card is, if the page has a share link


@blueprint.get("/tracking/<page_id>/own")
@compress.compressed()
def show_own(page_id: str) -> Response:
    """Answer with the visitor's own rows, or with a 304 if neither they nor the list have changed.

    `?sent=` lists the ids of submissions that this visitor has just sent: a browser that keeps no
    cookie gets their rows, too. Raises ApiError as the iframe route does.
    """
    access = get_open_access(page_id)
    edition, own = read_edition(page_id, access.page_version), list_own(page_id)
    if request.if_none_match.contains_weak(_find_etag(edition, own)):
        return Response(status=304)
    return respond_with_part(render_own(edition, own), access)


def list_own(page_id: str) -> list[Submission]:
    """Return the visitor's own submissions, newest first.

    Those that they have hidden are left out, unless approved: their row in the list stays marked.
    """
    sent = [one for one in request.args.get("sent", "").split(".")[:MAX_SENT] if is_id(one)]
    own = queries.list_without_session(page_id, sent) if sent else []
    own += queries.list_of_session(page_id, find_session_id())
    hidden = _list_hidden()
    return [one for one in own if one.id not in hidden or one.status in APPROVED]


def _list_hidden() -> list[str]:
    return request.cookies.get(HIDDEN_COOKIE, "").split(".")


def _find_etag(edition: Edition, own: Sequence[Submission]) -> str:
    """Return a tag that changes with the list's, with the visitor's submissions and their state."""
    hidden = _list_hidden()
    states = [
        (one.id, one.status, one.reason_code, one.reason_text, one.id in hidden) for one in own
    ]
    text = repr((states, find_session_id() is None))
    return f"{edition.etag}.{hashlib.blake2b(text.encode(), digest_size=9).hexdigest()}"


def render_own(edition: Edition, own: Sequence[Submission]) -> str:
    """Return the part of the page with the visitor's own rows."""
    payload, page = edition.payload, edition.payload.page
    hidden, now = _list_hidden(), runtime().clock()
    cooldown = timedelta(seconds=page.cooldown_s)
    again_at = {
        one.wallet_address: one.decided_at + cooldown
        for one in reversed(own)  # the newest counts
        if one.status == "rejected" and one.decided_at + cooldown > now
    }
    rows, is_linked = [], _is_shared(page.id, payload.etag)
    for one in _choose_rows(own):
        place = payload.find_place(one.wallet_address) if one.status in APPROVED else None
        listed = card = None
        if place is not None:
            (wallet,) = payload.read_wallets([place])
            column = Column.of(wallet["tokenBalance"])  # its own unit, however small it is
            listed = describe_wallet(wallet, place, payload, column)
            card = build_card_link(page.id, listed["id"]) if is_linked else None
        rows.append(OwnRow(one, listed, again_at.get(one.wallet_address), card))
    return render_template(
        "widget/own.html",
        page_id=page.id,
        key=request.args.get("key", ""),
        rows=[row for row in rows if row.submission.id not in hidden],
        mine=[row.listed["id"] for row in rows if row.listed],
        etag=quote_etag(_find_etag(edition, own), weak=True),
        list_etag=quote_etag(edition.etag, weak=True),
        wallet_count=payload.wallet_count,
        is_remembered=find_session_id() is not None,
    )


def _choose_rows(own: Sequence[Submission]) -> list[Submission]:
    """Return one submission per wallet, and only the newest refusal of each kind.

    Pending ones come first, then approved ones; cooldown refusals come last, since the owner's
    rejection before them says more.
    """
    rows, seen = [], set[str | None]()
    for one in sorted(own, key=_find_order):
        kinds: set[str | None] = {one.wallet_address}
        if one.status == "soft_rejected":
            kinds.add(one.reject_reason)
        if seen.isdisjoint(kinds):
            seen |= kinds
            rows.append(one)
    return rows


def _find_order(one: Submission) -> tuple[bool, bool, bool]:
    return one.status != "pending", one.status not in APPROVED, one.reject_reason == "cooldown"


# A page's keys change with its version, and so with the payload's tag.
@cached(LRUCache(256), lock=threading.Lock())
def _is_shared(page_id: str, _etag: str) -> bool:
    return is_shared(page_id)
