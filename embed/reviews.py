"""What the owner sees of the queue, and decides."""

from datetime import datetime, timedelta

from embed import activity
from embed.activity import COMMAND_LINE
from embed.database import db
from embed.errors import InvalidInput, NotFound
from embed.models import Page, Submission
from embed.pages import get_page, lock_page
from embed.submissions import MAX_LISTED, list_newest
from embed.wallets import track_approved, untrack_approved

# The dashboard offers it for ten seconds; slow networks get a little more.
UNDO_WITHIN = timedelta(seconds=20)


def list_of_page(
    page_id: str, *, status: str | None = None, limit: int = MAX_LISTED
) -> list[Submission]:
    """Return what the owner sees, newest first. Raises NotFound."""
    page = get_page(page_id)
    conditions = [Submission.page == page]
    if status is not None:
        conditions.append(Submission.status == status)
    return list_newest(*conditions, limit=limit)


def approve(submission_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> Submission:
    """Put a waiting wallet on its page. Raises NotFound, InvalidInput if it does not wait."""
    with db.atomic():
        submission, page = _lock(submission_id)
        _check_pending(submission)
        if page.deleted_at is not None:
            raise InvalidInput(f"The page {page.id} is deleted.")
        submission.status = "approved"
        submission.decided_at = now
        submission.has_added_wallet = track_approved(
            page, submission.wallet_address, submission.nickname, now
        )
        submission.save()
        activity.record(page.id, actor, "approve submission", _name(submission), now)
    return submission


def reject(submission_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> Submission:
    """Turn a waiting wallet away; its cooldown starts. Raises NotFound, InvalidInput."""
    with db.atomic():
        submission, page = _lock(submission_id)
        _check_pending(submission)
        submission.status = "rejected"
        submission.reject_reason = "manual"
        submission.decided_at = now
        submission.save()
        activity.record(page.id, actor, "reject submission", _name(submission), now)
    return submission


def undo(submission_id: str, now: datetime, *, actor: str) -> Submission:
    """Let a submission wait again that was decided by hand a moment ago.

    Raises NotFound, InvalidInput when it was not, or when its place was taken meanwhile.
    """
    with db.atomic():
        submission, page = _lock(submission_id)
        decided_at = submission.decided_at
        if submission.status not in ("approved", "rejected") or decided_at is None:
            raise InvalidInput(f"The submission is {submission.status}; there is nothing to undo.")
        if now > decided_at + UNDO_WITHIN:
            raise InvalidInput("It is too late to undo this.")
        if submission.status == "rejected" and _is_live(submission):
            raise InvalidInput("The wallet was sent again meanwhile.")
        if submission.has_added_wallet:
            untrack_approved(page, submission.wallet_address, decided_at)
        submission.status = "pending"
        submission.reject_reason = None
        submission.decided_at = None
        submission.has_added_wallet = False
        submission.save()
        activity.record(page.id, actor, "undo decision", _name(submission), now)
    return submission


def _lock(submission_id: str) -> tuple[Submission, Page]:
    found = Submission.get_or_none(Submission.id == submission_id)
    if found is None:
        raise NotFound(f"There is no submission {submission_id}.")
    page = lock_page(found.page_id)
    return Submission.get_by_id(submission_id), page


def _check_pending(submission: Submission) -> None:
    if submission.status != "pending":
        raise InvalidInput(f"The submission {submission.id} is {submission.status} already.")


def _is_live(submission: Submission) -> bool:
    return (
        Submission.select()
        .where(
            Submission.page == submission.page_id,
            Submission.wallet_address == submission.wallet_address,
            Submission.status == "pending",
        )
        .exists()
    )


def _name(submission: Submission) -> str:
    return f"{submission.nickname} ({submission.wallet_address})"
