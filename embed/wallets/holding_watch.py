"""Flags or withholds visitors' wallets that fall below their page's minimum balance.

Only wallets that a submission put on the page are watched. Nothing is ever deleted.
"""

from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from peewee import JOIN

from embed.db.models import LOW_IN_A_ROW, UNMARKED, ChainBalance, Page, Wallet
from embed.domain.amounts import subtract
from embed.errors import NotFound
from embed.events.editing import Change, Edit, editing
from embed.events.kinds import HoldingFacts

ACTOR = "holding watch"  # as the activity log names it


@dataclass(frozen=True, slots=True)
class Watched:
    """A wallet that a visitor put on the page, and its newest observation."""

    wallet: Wallet
    min_balance: Decimal
    mint: str
    balance: ChainBalance

    @property
    def is_complete(self) -> bool:
        """Tell whether the newest observation covers all accounts."""
        return bool(self.balance.all_observed_at == self.balance.observed_at)

    def is_low(self) -> bool:
        return bool(self.balance.amount < self.min_balance)

    def is_holder(self) -> bool:
        """Tell whether it certainly holds the minimum: other accounts' amounts may be old."""
        associated = subtract(self.balance.amount, self.balance.other_amount)
        return associated >= self.min_balance or (self.is_complete and not self.is_low())

    def is_newly_low(self, since: datetime) -> bool:
        """Tell whether a complete observation found it low and isn't counted yet."""
        observed_at, wallet = self.balance.observed_at, self.wallet
        counted_at = wallet.low_observed_at or wallet.created_at
        return self.is_complete and self.is_low() and observed_at > max(counted_at, since)


def list_needed(before: datetime, page: Page | None = None) -> list[tuple[str, str]]:
    """Return (mint, address) of wallets that may be below the minimum, but aren't certain to be.

    They seem low, and were last read completely at `before` or earlier; the longest ago comes
    first. `page` limits them to its wallets.
    """
    of_page = () if page is None else (Wallet.page == page,)
    undecided = [
        one
        for one in _read_watched(Wallet.low_count < LOW_IN_A_ROW, *of_page)
        if one.is_low() and (one.balance.all_observed_at or before) <= before
    ]
    undecided.sort(key=lambda one: one.balance.all_observed_at or one.wallet.created_at)
    return list(dict.fromkeys((one.mint, one.wallet.address) for one in undecided))


def watch_holdings(change: Change) -> Counter[str | None]:
    """Count observations within BALANCE_REFRESH; flag or withhold wallets as each page chose.

    Returns how often each action was logged.
    """
    since = change.now - change.settings.balance_refresh
    may_have_news = (
        (ChainBalance.all_observed_at == ChainBalance.observed_at)
        | (Wallet.low_count > 0)
        | Wallet.is_withheld
    )
    by_page: defaultdict[str, list[Watched]] = defaultdict(list)
    for one in _read_watched(ChainBalance.observed_at > since, may_have_news):
        by_page[one.wallet.page_id].append(one)
    logged: Counter[str | None] = Counter()
    for page_id, watched in by_page.items():
        if any(_has_news(one, since) for one in watched):
            logged.update(_watch_page(page_id, change, since))
    return logged


def _has_news(one: Watched, since: datetime) -> bool:
    if one.balance.observed_at <= since:
        return False
    if one.is_holder():
        return one.wallet.low_count > 0 or one.wallet.is_withheld
    return one.wallet.low_count < LOW_IN_A_ROW and one.is_newly_low(since)


def _watch_page(page_id: str, change: Change, since: datetime) -> list[str | None]:
    """Read a page's wallets again under its lock, as its owner may have changed something."""
    # It may be purged meanwhile.
    with suppress(NotFound), editing(page_id, change) as edit:
        watched = _read_watched(Wallet.page == page_id)
        return [_note(edit, one) for one in watched if _has_news(one, since)]
    return []


def _note(edit: Edit, one: Watched) -> str | None:
    """Store what an observation says about a wallet; log and return the action, if it's news."""
    wallet = one.wallet
    was_flagged = wallet.low_count >= LOW_IN_A_ROW
    if one.is_holder():
        changes: dict[str, Any] = UNMARKED
    else:
        count = wallet.low_count + 1
        changes = {
            "low_count": count,
            "low_observed_at": one.balance.observed_at,
            "is_withheld": count >= LOW_IN_A_ROW and edit.page.holding_watch == "hide",
        }
    Wallet.update(changes).where(Wallet.id == wallet.id).execute()
    is_flagged = changes["low_count"] >= LOW_IN_A_ROW
    if is_flagged == was_flagged:
        return None
    action = "flag wallet" if is_flagged else "unflag wallet"
    named = wallet.id, wallet.address, wallet.public_alias
    hidden = changes["is_withheld"] if is_flagged else None
    edit.log(action, HoldingFacts(*named, one.balance.amount, one.min_balance, hidden))
    return action


def _read_watched(*conditions: Any) -> list[Watched]:
    """Return watched wallets that were observed on the chain at least once, in one statement."""
    is_observed = (ChainBalance.mint == Page.token_mint) & (ChainBalance.address == Wallet.address)
    rows: Any = (
        Wallet.select(Wallet, ChainBalance, Page)
        .join(Page)
        .join_from(Wallet, ChainBalance, JOIN.INNER, on=is_observed, attr="observed")
        .where(
            Wallet.submission.is_null(False),
            Page.deleted_at.is_null(),
            Page.holding_watch != "leave",
            Page.min_balance != Decimal(0),
            *conditions,
        )
    )
    return [Watched(row, row.page.min_balance, row.page.token_mint, row.observed) for row in rows]
