"""Soft rejections: refused submissions, stored for the owner and the visitor's own list."""

from datetime import datetime
from typing import Any

from embed.db.batches import delete_in_batches
from embed.db.connection import db
from embed.db.constraints import skip_if_reference_missing
from embed.db.models import Submission
from embed.db.statements import Parameter, Statement, insert, list_values, make_insertion
from embed.domain.nonces import Nonce
from embed.domain.signing import SESSION_LIFETIME

MAX_STORED = 50  # per session and page: as many as the visitor's list shows
MAX_WITHOUT_SESSION = 1_000  # per page


def store_soft_rejection(
    nonce: Nonce, *, nickname: str, session_id: str | None, reason: str, now: datetime
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
        if session_id is None:
            _store_without_session(row)
        else:
            _STORE.execute(**list_values(row))
            _DELETE_OLD.execute(page_id=nonce.page_id, session_id=session_id)


def _store_without_session(row: Submission) -> None:
    """Store it for the owner alone, in place of an earlier one of the same wallet and reason.

    The unique index does not serve here: to it, no session is like another.
    """
    _DELETE_SAME.execute(
        page_id=row.page_id, wallet_address=row.wallet_address, reason=row.reject_reason
    )
    insert(row)
    _DELETE_OLD_WITHOUT_SESSION.execute(page_id=row.page_id)


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
_DELETE_SAME = Statement(
    Submission.delete().where(
        Submission.wallet_address == Parameter("wallet_address"),
        Submission.page == Parameter("page_id"),
        Submission.reject_reason == Parameter("reason"),
        Submission.status == "soft_rejected",
        Submission.session_id.is_null(),
    )
)


def _delete_old(is_of_session: Any, most: int) -> Statement:
    """Keep the newest only: one visitor could create any number of wallets."""
    return Statement(
        Submission.delete().where(
            Submission.id.in_(
                Submission.select(Submission.id)
                .where(
                    Submission.page == Parameter("page_id"),
                    is_of_session,
                    Submission.status == "soft_rejected",
                )
                .order_by(Submission.created_at.desc(), Submission.id.desc())
                .offset(most)
                .limit(most)
            )
        )
    )


_DELETE_OLD = _delete_old(Submission.session_id == Parameter("session_id"), MAX_STORED)
_DELETE_OLD_WITHOUT_SESSION = _delete_old(Submission.session_id.is_null(), MAX_WITHOUT_SESSION)


def prune_soft_rejections(now: datetime) -> int:
    """Delete those that no session can ask for any more, and as old ones; return how many."""
    return delete_in_batches(
        Submission.id,
        (Submission.status == "soft_rejected") & (Submission.created_at < now - SESSION_LIFETIME),
    )
