"""What the owner sees of the queue, and decides."""

from datetime import datetime

from embed.database import db
from embed.errors import InvalidInput, NotFound
from embed.models import Page, Submission
from embed.pages import get_page, lock_page
from embed.submissions import MAX_LISTED, list_newest
from embed.wallets import track_approved


def list_of_page(
    page_id: str, *, status: str | None = None, limit: int = MAX_LISTED
) -> list[Submission]:
    """Return what the owner sees, newest first. Raises NotFound."""
    page = get_page(page_id)
    conditions = [Submission.page == page]
    if status is not None:
        conditions.append(Submission.status == status)
    return list_newest(*conditions, limit=limit)


def approve(submission_id: str, now: datetime) -> Submission:
    """Put a waiting wallet on its page. Raises NotFound, InvalidInput if it does not wait."""
    with db.atomic():
        submission, page = _lock_pending(submission_id)
        if page.deleted_at is not None:
            raise InvalidInput(f"The page {page.id} is deleted.")
        submission.status = "approved"
        submission.decided_at = now
        submission.save()
        track_approved(page, submission.wallet_address, submission.nickname, now)
    return submission


def reject(submission_id: str, now: datetime) -> Submission:
    """Turn a waiting wallet away; its cooldown starts. Raises NotFound, InvalidInput."""
    with db.atomic():
        submission, _ = _lock_pending(submission_id)
        submission.status = "rejected"
        submission.reject_reason = "manual"
        submission.decided_at = now
        submission.save()
    return submission


def _lock_pending(submission_id: str) -> tuple[Submission, Page]:
    found = Submission.get_or_none(Submission.id == submission_id)
    if found is None:
        raise NotFound(f"There is no submission {submission_id}.")
    page = lock_page(found.page_id)
    submission = Submission.get_by_id(submission_id)
    if submission.status != "pending":
        raise InvalidInput(f"The submission {submission_id} is {submission.status} already.")
    return submission, page
