"""The rows of the list, each rendered once for everyone who reads it in the same language."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self, TypeAlias

from cachetools import LFUCache
from flask import get_template_attribute
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

MAX_CACHED_BYTES = 16 * 1024 * 1024  # in each process; a row takes about 1.5 KB

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
    html: Markup
    has_changes: bool  # whether any shows how its balance has changed


class _Row(NamedTuple):
    etag: str
    html: Markup
    has_change: bool


# Drops the least used, so a flood of odd addresses can't empty it.
_kept = SharedCache[tuple[object, ...], _Row](
    LFUCache(MAX_CACHED_BYTES, getsizeof=lambda one: len(one.html))
)


def render_rows(edition: Edition, view: View, places: Sequence[int], look: Look) -> Rows:
    """Return a view's parts of the list. A wallet's row is the same in every order and search."""
    shows_changes = "changes" not in look.hide
    shown = places[(view.first - 1) * WALLETS_PER_PART : view.last * WALLETS_PER_PART]
    kind = (
        edition.payload.page.id, current_language(), look.explorer, shows_changes, view.tag,
    )  # fmt: skip
    found = ((place, _kept.get((*kind, place))) for place in shown)
    rows = {place: row for place, row in found if row and row.etag == edition.etag}
    missing = [place for place in shown if place not in rows]
    if missing:
        for place, row in _render(edition, missing, look, view.tag):
            rows[place] = row
            _kept.set((*kind, place), row)
    html = Markup("").join(rows[place].html for place in shown)
    return Rows(html, any(row.has_change for row in rows.values()))


def _render(
    edition: Edition, places: Sequence[int], look: Look, tag: str | None
) -> Iterator[tuple[int, _Row]]:
    payload, balances, now = edition.payload, runtime().balances, runtime().clock()
    wallets = payload.read_wallets(places)
    changes: dict[str, BalanceChange] = {}
    if balances.uses_chain and "changes" not in look.hide:
        changes = read_balance_changes(payload.page, [one["address"] for one in wallets], now)
    lines, column = draw_lines(changes, now), Column.of(payload.standings.highest)
    wallet_row = get_template_attribute("widget/row.html", "wallet_row")
    explorer = EXPLORERS.get(look.explorer)
    for place, wallet in zip(places, wallets, strict=True):
        change = changes.get(wallet["address"])
        shown = describe_wallet(wallet, place, payload, column) | {
            "is_proved": payload.standings.proved[place],
            "line": lines.get(wallet["address"]),
            "day_part": change and change.day_part,
        }
        html = wallet_row(shown, explorer=explorer, chosen_tag=tag)
        yield place, _Row(edition.etag, html, change is not None)


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
