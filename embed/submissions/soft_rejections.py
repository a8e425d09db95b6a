"""Soft rejections: refused submissions, stored for the visitor's own list."""

from datetime import datetime

from embed.db.batches import delete_in_batches
from embed.db.connection import db
from embed.db.constraints import skip_if_reference_missing
from embed.db.models import Submission
from embed.db.statements import Parameter, Statement, list_values, make_insertion
from embed.domain.nonces import Nonce
from embed.domain.signing import SESSION_LIFETIME

MAX_STORED = 50  # per session and page: as many as the visitor's list shows


def store_soft_rejection(
    nonce: Nonce, *, nickname: str, session_id: str, reason: str, now: datetime
) -> None:
    """Store a soft rejection; the nonce stays usable, so it is not stored."""
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
# The newest are kept only: one visitor could create any number of wallets.
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


def prune_soft_rejections(now: datetime) -> int:
    """Delete those that no session can ask for any more; return how many."""
    return delete_in_batches(
        Submission.id,
        (Submission.status == "soft_rejected") & (Submission.created_at < now - SESSION_LIFETIME),
    )
