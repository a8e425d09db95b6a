"""What the owner sees of the queue, and decides."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from embed import events
from embed.db.connection import db
from embed.db.models import LIVE, Page, Submission
from embed.domain.identifiers import is_id
from embed.errors import InvalidInput, NotFound
from embed.events import COMMAND_LINE
from embed.pages import lock_page
from embed.wallets.tracking import track_approved, untrack_approved

# The dashboard offers it for ten seconds; slow networks get a little more.
UNDO_WITHIN = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A submission that could not be decided, as it is now, and why."""

    submission: Submission
    why: str


@dataclass(frozen=True, slots=True)
class Result:
    done: list[Submission]
    refused: list[Refusal]


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
        events.record(page.id, actor, "approve submission", _name(submission), now)
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
        events.record(page.id, actor, "reject submission", _name(submission), now)
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
        events.record(page.id, actor, "undo decision", _name(submission), now)
    return submission


def change_many(
    page: Page, submission_ids: Collection[str], change: Callable[[str], Submission]
) -> Result:
    """Approve, reject or undo many at once: those that can be, whatever becomes of the others.

    Raises NotFound, with nothing changed, unless all were sent to the page.
    """
    done: list[Submission] = []
    reasons: dict[str, str] = {}
    with db.atomic():  # to wait for the disk once
        lock_page(page.id)
        _check_on_page(page, submission_ids)
        for submission_id in dict.fromkeys(submission_ids):
            try:
                done.append(change(submission_id))
            except InvalidInput as mistake:
                reasons[submission_id] = str(mistake)
        refused = list(Submission.select().where(Submission.id.in_(list(reasons))))
    return Result(done, [Refusal(one, reasons[one.id]) for one in refused])


def _check_on_page(page: Page, submission_ids: Collection[str]) -> None:
    wanted = set(submission_ids)
    if not all(map(is_id, wanted)):
        raise NotFound("These are not all ids.")
    found = Submission.select().where(Submission.page == page, Submission.id.in_(list(wanted)))
    if found.count() != len(wanted):
        raise NotFound("Not all of these submissions were sent to the page.")


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
            Submission.status.in_(LIVE),
        )
        .exists()
    )


def _name(submission: Submission) -> str:
    return f"{submission.nickname} ({submission.wallet_address})"
