"""Soft rejections: refused submissions, stored for the visitor's own list, or counted."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from peewee import SQL, fn

from embed.db.batches import delete_in_batches
from embed.db.connection import db
from embed.db.constraints import skip_if_reference_missing
from embed.db.models import Page, RefusalCount, Submission
from embed.domain.folding import fold_wallet
from embed.domain.nonces import Nonce
from embed.domain.times import count_days

SESSION_LIFETIME = timedelta(days=30)  # docs/api.md, The session cookie
MAX_STORED = 50  # per session and page: as many as the visitor's list shows


def store_soft_rejection(
    nonce: Nonce, *, nickname: str, session_id: str | None, reason: str, now: datetime
) -> None:
    """Store a soft rejection, but not its nonce, which stays usable.

    Without a session, no visitor's list would show it, so it's only counted, for the owner.
    """
    if session_id is None:
        _count(nonce.page_id, reason, now)
        return
    # If the page was purged meanwhile, nothing is stored; the visitor is refused all the same.
    with skip_if_reference_missing(), db.atomic():
        Submission.insert(
            page=nonce.page_id,
            api_key=nonce.key_id,
            wallet_address=nonce.wallet_address,
            nickname=nickname,
            folded=fold_wallet(nickname, nonce.wallet_address),
            status="soft_rejected",
            reject_reason=reason,
            session_id=session_id,
            created_at=now,
            decided_at=now,
        ).on_conflict(
            conflict_target=[
                Submission.page,
                Submission.session_id,
                Submission.wallet_address,
                Submission.reject_reason,
            ],
            # Not a parameter: SQLite must see that it's the condition of the partial index.
            conflict_where=SQL("status = 'soft_rejected'"),
            preserve=[
                Submission.api_key,
                Submission.nickname,
                Submission.folded,
                Submission.created_at,
                Submission.decided_at,
            ],
        ).execute()
        _delete_old(nonce.page_id, session_id)


def _delete_old(page_id: str, session_id: str) -> None:
    """Keep only the newest, since one visitor could create any number of wallets."""
    old = (
        Submission.select(Submission.id)
        .where(
            Submission.page == page_id,
            Submission.session_id == session_id,
            Submission.status == "soft_rejected",
        )
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .offset(MAX_STORED)
        .limit(MAX_STORED)
    )
    Submission.delete().where(Submission.id.in_(old)).execute()


def _count(page_id: str, reason: str, now: datetime) -> None:
    with skip_if_reference_missing(), db.atomic():
        RefusalCount.insert(page=page_id, day=count_days(now), reason=reason, count=1).on_conflict(
            conflict_target=[RefusalCount.page, RefusalCount.day, RefusalCount.reason],
            update={RefusalCount.count: RefusalCount.count + 1},
        ).execute()


def read_counts_without_session(page: Page) -> Counter[str]:
    """Return the number of stored refusals without a session, by reason."""
    total = fn.SUM(RefusalCount.count)
    query = RefusalCount.select(RefusalCount.reason, total).where(RefusalCount.page == page)
    rows: Any = query.group_by(RefusalCount.reason).tuples()
    return Counter({reason: int(refused) for reason, refused in rows})


def prune_soft_rejections(now: datetime) -> int:
    """Delete soft rejections whose sessions have expired; return how many."""
    before = now - SESSION_LIFETIME
    is_old = (Submission.status == "soft_rejected") & (Submission.created_at < before)
    return delete_in_batches(Submission.id, is_old) + delete_in_batches(
        RefusalCount.id, RefusalCount.day < count_days(before)
    )
