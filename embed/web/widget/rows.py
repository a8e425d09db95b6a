"""The rows of the list, rendered once for everyone who reads them in the same language."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeAlias

from cachetools import LFUCache
from flask import render_template
from markupsafe import Markup

from embed.balances.history import BalanceChange, read_balance_changes
from embed.balances.tokens import Supply
from embed.domain.amounts import find_share
from embed.domain.look import Look
from embed.public_payload import WALLETS_PER_PART, Payload, get_payload
from embed.web.current import runtime
from embed.web.drawings import draw_lines
from embed.web.figures import Column
from embed.web.languages import current_language
from embed.web.shared_cache import SharedCache
from embed.web.widget.view import View

MAX_CACHED_BYTES = 16 * 1024 * 1024  # in each process; a part takes about 30 KB

# The explorers that a look may name: the text of a link, and where it leads.
EXPLORERS = {
    "solana": ("Solana Explorer", "https://explorer.solana.com/address/"),
    "solscan": ("Solscan", "https://solscan.io/account/"),
    "orb": ("Orb", "https://orbmarkets.io/address/"),
}


class Edition(NamedTuple):
    """A list as it is now; its tag changes with all that the list shows."""

    payload: Payload
    supply: Supply | None  # with the time when balances were read
    etag: str

    @classmethod
    def of(cls, payload: Payload, supply: Supply | None) -> Self:
        read_at = int(supply.observed_at.timestamp()) if supply else 0
        day = runtime().clock().toordinal()  # who joined this week changes with it
        return cls(payload, supply, f"{payload.etag}-{read_at:x}-{day:x}")


def read_edition(page_id: str, version: int) -> Edition:
    """Return a page's list as it is now. Raises ApiError `not_found`."""
    balances = runtime().balances
    payload = get_payload(page_id, version, balances)
    return Edition.of(payload, balances.find_supply(payload.page.token_mint))


ListedWallet: TypeAlias = dict[str, Any]  # as in the payload, and what describe_wallet adds


class Rows(NamedTuple):
    html: str
    has_changes: bool  # whether any shows how its balance has changed


class _Kept(NamedTuple):
    etag: str
    rows: Rows


# Drops the least used, so a flood of odd addresses can't empty it.
_kept = SharedCache[tuple[object, ...], _Kept](
    LFUCache(MAX_CACHED_BYTES, getsizeof=lambda one: len(one.rows.html))
)


def render_rows(edition: Edition, view: View, places: Sequence[int], look: Look) -> Rows:
    """Return a view's parts of the list. What a search finds isn't kept."""
    payload = edition.payload
    parts = []
    for number in range(view.first, view.last + 1):
        first = (number - 1) * WALLETS_PER_PART
        shown = places[first : first + WALLETS_PER_PART]
        if view.search:
            parts.append(_render(payload, shown, look, view.tag))
            continue
        shows_changes = "changes" not in look.hide
        key = (
            payload.page.id, current_language(), look.explorer, shows_changes,
            view.order, view.tag, number,
        )  # fmt: skip
        kept = _kept.get(key)
        if kept is None or kept.etag != edition.etag:
            kept = _Kept(edition.etag, _render(payload, shown, look, view.tag))
            _kept.set(key, kept)
        parts.append(kept.rows)
    return Rows(
        Markup("").join(Markup(one.html) for one in parts),  # noqa: S704 -- rendered by Jinja
        any(one.has_changes for one in parts),
    )


def _render(payload: Payload, places: Sequence[int], look: Look, tag: str | None) -> Rows:
    page, balances, now = payload.page, runtime().balances, runtime().clock()
    wallets = payload.read_wallets(places)
    changes: dict[str, BalanceChange] = {}
    if balances.uses_chain and "changes" not in look.hide:
        changes = read_balance_changes(page, [one["address"] for one in wallets], now)
    lines = draw_lines(changes, now)
    day_parts = {address: change.day_part for address, change in changes.items()}
    column = Column.of(payload.standings.highest)
    html = render_template(
        "widget/rows.html",
        explorer=EXPLORERS.get(look.explorer),
        chosen_tag=tag,
        wallets=[
            describe_wallet(wallet, place, payload, column)
            | {
                "is_proved": payload.standings.proved[place],
                "line": lines.get(wallet["address"]),
                "day_part": day_parts.get(wallet["address"]),
            }
            for place, wallet in zip(places, wallets, strict=True)
        ],
    )
    return Rows(html, bool(changes))


def describe_wallet(
    wallet: dict[str, Any], place: int, payload: Payload, column: Column
) -> ListedWallet:
    """Return a wallet with its rank, its share of the supply, and its balance as a figure."""
    balance = wallet["tokenBalance"]
    return wallet | {
        "rank": payload.standings.ranks[place],
        "share": find_share(balance, payload.details["supply"]) if balance else None,
        "figure": column.write(balance) if payload.standings.known[place] else None,
    }
