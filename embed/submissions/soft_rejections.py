"""Soft rejections: refused submissions, stored for the visitor's own list, or counted."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from peewee import fn

from embed.db.batches import delete_in_batches
from embed.db.connection import db
from embed.db.constraints import skip_if_reference_missing
from embed.db.models import Page, RefusalCount, Submission
from embed.db.statements import Parameter, Statement, list_values, make_insertion
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
    row = Submission(
        page=nonce.page_id,
        api_key=nonce.key_id,
        wallet_address=nonce.wallet_address,
        nickname=nickname,
        status="soft_rejected",
        reject_reason=reason,
        session_id=session_id,
        created_at=now,
        decided_at=now,
    )
    # If the page was purged meanwhile, nothing is stored; the visitor is refused all the same.
    with skip_if_reference_missing(), db.atomic():
        _STORE.execute(**list_values(row))
        _DELETE_OLD.execute(page_id=nonce.page_id, session_id=session_id)


def _count(page_id: str, reason: str, now: datetime) -> None:
    with skip_if_reference_missing(), db.atomic():
        _COUNT.execute(page_id=page_id, day=count_days(now), reason=reason)


_STORE = Statement(
    make_insertion(Submission).on_conflict(
        conflict_target=[
            Submission.page,
            Submission.session_id,
            Submission.wallet_address,
            Submission.reject_reason,
        ],
        conflict_where=Submission.status == "soft_rejected",
        preserve=[
            Submission.api_key,
            Submission.nickname,
            Submission.created_at,
            Submission.decided_at,
        ],
    )
)
# Only the newest are kept, since one visitor could create any number of wallets.
_DELETE_OLD = Statement(
    Submission.delete().where(
        Submission.id.in_(
            Submission.select(Submission.id)
            .where(
                Submission.page == Parameter("page_id"),
                Submission.session_id == Parameter("session_id"),
                Submission.status == "soft_rejected",
            )
            .order_by(Submission.created_at.desc(), Submission.id.desc())
            .offset(MAX_STORED)
            .limit(MAX_STORED)
        )
    )
)


_COUNT = Statement(
    RefusalCount.insert(
        {
            RefusalCount.page: Parameter("page_id"),
            RefusalCount.day: Parameter("day"),
            RefusalCount.reason: Parameter("reason"),
            RefusalCount.count: 1,
        }
    ).on_conflict(
        conflict_target=[RefusalCount.page, RefusalCount.day, RefusalCount.reason],
        update={RefusalCount.count: RefusalCount.count + 1},
    )
)


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
