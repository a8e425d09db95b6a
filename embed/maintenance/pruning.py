"""Deletes old data, as listed in docs/privacy.md: for the worker and ``flask prune``."""

from collections.abc import Callable
from datetime import datetime, timedelta

from embed.balances.history import prune_history, prune_observations
from embed.db import used_nonces
from embed.db.batches import delete_in_batches
from embed.db.models import Activity
from embed.db.schema_version import find_applied_at
from embed.events import account_log
from embed.notifications import delivery_log
from embed.people import invitations, sessions
from embed.settings import Settings
from embed.submissions.decisions import UNDO_WITHIN
from embed.submissions.erasure import erase_old_rejections
from embed.submissions.soft_rejections import prune_soft_rejections
from embed.wallets.listings import prune_listings

Pruned = dict[str, int]  # how many rows were deleted, by a plural name for them


FIRST_ERASED_AFTER = timedelta(days=30)  # since the upgrade, so that operators can prevent it
_UPGRADE = "0005_rejections"


def prune(
    now: datetime, settings: Settings, check_stop: Callable[[], None] = lambda: None
) -> Pruned:
    """Delete everything that's old enough, in small transactions.

    `check_stop` is called between them, and may raise to stop this.
    """
    history_since = now - settings.balance_history
    kinds: dict[str, Callable[[], int]] = {
        "balances of past days": lambda: prune_history(history_since),
        "balances of wallets that no page has": lambda: prune_observations(history_since),
        "messages": lambda: delivery_log.prune(now),
        "refusals by policy": lambda: prune_soft_rejections(now),
        "used nonces": lambda: used_nonces.prune(now),
        "times on public lists": lambda: prune_listings(now),
        "invitations": lambda: invitations.prune(now),
        "sessions": lambda: sessions.prune(now),
        "events of accounts": lambda: account_log.prune(now),
    }
    kept_for = settings.rejected_kept
    if kept_for and now >= find_applied_at(_UPGRADE) + FIRST_ERASED_AFTER:
        before = now - max(kept_for, UNDO_WITHIN)
        kinds["details of rejections"] = lambda: erase_old_rejections(before)
        kinds["entries of activity logs"] = lambda: delete_in_batches(
            Activity.id, Activity.created_at < before
        )
    pruned: Pruned = {}
    for kind, delete in kinds.items():
        pruned[kind] = delete()
        check_stop()
    return pruned


def summarize(pruned: Pruned) -> str:
    parts = [f"{kind} ({count:,})" for kind, count in pruned.items() if count]
    return f"Deleted: {', '.join(parts)}." if parts else "Nothing was old enough to be deleted."
