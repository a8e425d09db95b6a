"""Deletes old data, as listed in docs/privacy.md: for the worker and ``flask prune``."""

from collections.abc import Callable
from datetime import datetime, timedelta

from embed.balances.history import prune_history, prune_observations
from embed.db import used_nonces
from embed.events import account_log
from embed.notifications import delivery_log
from embed.people import invitations, sessions
from embed.submissions.soft_rejections import prune_soft_rejections
from embed.wallets.listings import prune_listings

Pruned = dict[str, int]  # how many rows were deleted, by a plural name for them


def prune(
    now: datetime, balance_history: timedelta, check_stop: Callable[[], None] = lambda: None
) -> Pruned:
    """Delete everything that's old enough, in small transactions.

    `check_stop` is called between them, and may raise to stop this.
    """
    kinds: dict[str, Callable[[], int]] = {
        "balances of past days": lambda: prune_history(now - balance_history),
        "balances of wallets that no page has": lambda: prune_observations(now - balance_history),
        "messages": lambda: delivery_log.prune(now),
        "refusals by policy": lambda: prune_soft_rejections(now),
        "used nonces": lambda: used_nonces.prune(now),
        "times on public lists": lambda: prune_listings(now),
        "invitations": lambda: invitations.prune(now),
        "sessions": lambda: sessions.prune(now),
        "events of accounts": lambda: account_log.prune(now),
    }
    pruned: Pruned = {}
    for kind, delete in kinds.items():
        pruned[kind] = delete()
        check_stop()
    return pruned


def summarize(pruned: Pruned) -> str:
    parts = [f"{kind} ({count:,})" for kind, count in pruned.items() if count]
    return f"Deleted: {', '.join(parts)}." if parts else "Nothing was old enough to be deleted."
