"""Erasing what rejections say of people; what the cooldown and the trust ladder need stays."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from peewee import Value, fn

from embed.db.batches import BATCH
from embed.db.connection import db
from embed.db.models import Proof, Submission


def erase_details(rejections: Collection[Submission], **others: None) -> None:
    """Erase names, signed texts and reasons in words; `others` are columns to empty, too."""
    folded = Value(" ").concat(fn.LOWER(Submission.wallet_address))  # as fold_wallet does
    Submission.update(nickname="", folded=folded, reason_text=None, **others).where(
        Submission.id.in_(rejections)
    ).execute()
    Proof.delete().where(Proof.submission.in_(rejections)).execute()


def erase_old_rejections(before: datetime) -> int:
    """Erase the details and the session of rejections made before then; return how many."""
    is_old: Any = (
        Submission.status == "rejected",
        Submission.decided_at < before,
        (Submission.nickname != "") | Submission.session_id.is_null(False),
    )
    columns = Submission.id, Submission.page, Submission.session_id, Submission.decided_at
    erased = 0
    while rejections := list(Submission.select(*columns).where(*is_old).limit(BATCH)):
        with db.atomic():
            for one in rejections:
                if one.session_id is not None:
                    _outweigh_approvals(one)
            erase_details(rejections, session_id=None)
        erased += len(rejections)
    return erased


def _outweigh_approvals(rejection: Submission) -> None:
    """Keep the session's earlier approvals from counting once its rejection is forgotten."""
    Submission.update(is_outweighed=True).where(
        Submission.session_id == rejection.session_id,
        Submission.page == rejection.page_id,
        Submission.status == "approved",
        Submission.decided_at <= rejection.decided_at,
    ).execute()
