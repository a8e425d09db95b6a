"""The owner's decisions on pending submissions."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from embed.db.connection import db
from embed.db.models import LIVE, Page, Submission, Wallet, Withdrawal
from embed.domain.identifiers import is_id
from embed.errors import InvalidInput, NotFound
from embed.events.editing import COMMAND_LINE, editing_row, lock_owners, lock_page
from embed.events.kinds import DecisionUndone, SubmissionApproved, SubmissionRejected
from embed.metrics import DECISIONS
from embed.submissions.messages import tell_if_filling
from embed.wallets.tracking import track_approved, untrack_withdrawn

# The dashboard offers undo for ten seconds; slow networks get a little more.
UNDO_WITHIN = timedelta(seconds=20)
MAX_CHANGED = 1000

_DECISION_BY_STATUS = {"approved": "approved", "rejected": "rejected", "pending": "undone"}


@dataclass(frozen=True, slots=True)
class Undecided:
    """A submission that could not be decided, in its present state."""

    submission: Submission
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    decided: list[Submission]
    undecided: list[Undecided]
    withdrawn: list[str]  # ids of those that are gone, as their wallets' holders withdrew them


def approve(
    submission_id: str, now: datetime, *, max_wallets: int, actor: str = COMMAND_LINE
) -> Submission:
    """Add a pending wallet to its page. Raises NotFound, InvalidInput unless it is pending."""
    with editing_row(Submission, submission_id, actor, now) as (edit, submission):
        _check_pending(submission)
        if edit.page.deleted_at is not None:
            raise InvalidInput(f"The page {edit.page.id} has been deleted.")
        submission.status = "approved"
        submission.decided_at = now
        submission.save()
        track_approved(edit.page, submission, now, max_wallets=max_wallets)
        edit.record(SubmissionApproved.of(submission))
    return submission


def reject(submission_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> Submission:
    """Reject a pending submission; the wallet's cooldown starts. Raises NotFound, InvalidInput."""
    with editing_row(Submission, submission_id, actor, now) as (edit, submission):
        _check_pending(submission)
        submission.status = "rejected"
        submission.reject_reason = "manual"
        submission.decided_at = now
        submission.save()
        edit.record(SubmissionRejected.of(submission))
    return submission


def undo(submission_id: str, now: datetime, *, actor: str) -> Submission:
    """Make a submission pending again that was decided by hand within UNDO_WITHIN.

    Raises NotFound, InvalidInput if it was not, or if the wallet was submitted again meanwhile.
    """
    with editing_row(Submission, submission_id, actor, now) as (edit, submission):
        decided_at = submission.decided_at
        if submission.status not in ("approved", "rejected") or decided_at is None:
            raise InvalidInput(f"The submission is {submission.status}; there is nothing to undo.")
        if now > decided_at + UNDO_WITHIN:
            raise InvalidInput("It is too late to undo this.")
        if _is_withdrawn(submission.id):
            raise InvalidInput("The wallet's holder has withdrawn it.")
        if submission.status == "rejected" and _is_live(submission):
            raise InvalidInput("The wallet has been submitted again since.")
        wallet = Wallet.get_or_none(Wallet.submission == submission)
        if wallet is not None:
            untrack_withdrawn(wallet)
        submission.status = "pending"
        submission.reject_reason = None
        submission.decided_at = None
        submission.save()
        edit.record(DecisionUndone.of(submission))
        tell_if_filling(edit.page, now)
    return submission


def change_many(
    page: Page, submission_ids: Collection[str], change: Callable[[str], Submission]
) -> Result:
    """Approve, reject or undo many submissions, skipping those that cannot be changed.

    Raises NotFound, with nothing changed, unless all belong to the page; InvalidInput for too
    many.
    """
    if len(submission_ids) > MAX_CHANGED:
        raise InvalidInput(f"At most {MAX_CHANGED} submissions can be changed at once.")
    decided: list[Submission] = []
    reasons: dict[str, str] = {}
    with db.atomic():  # one transaction, so that the disk is synced once
        lock_owners(page.owner_id)
        if lock_page(page.id).owner_id != page.owner_id:
            raise NotFound("The page now belongs to another owner.")
        withdrawn = _list_withdrawn(page, submission_ids)
        present = [one for one in dict.fromkeys(submission_ids) if one not in withdrawn]
        _check_on_page(page, present)
        for submission_id in present:
            try:
                decided.append(change(submission_id))
            except InvalidInput as mistake:
                reasons[submission_id] = str(mistake)
        undecided = list(Submission.select().where(Submission.id.in_(list(reasons))))
    for submission in decided:
        DECISIONS.labels(_DECISION_BY_STATUS[submission.status]).inc()
    return Result(
        decided, [Undecided(one, reasons[one.id]) for one in undecided], sorted(withdrawn)
    )


def _list_withdrawn(page: Page, submission_ids: Collection[str]) -> set[str]:
    """Return those that nothing is left of to decide on."""
    ids = [one for one in submission_ids if is_id(one)]
    rows = Withdrawal.select(Withdrawal.submission_id).where(
        Withdrawal.page == page, Withdrawal.submission_id.in_(ids)
    )
    kept = {one.id for one in Submission.select(Submission.id).where(Submission.id.in_(ids))}
    return {row.submission_id for row in rows} - kept


def _is_withdrawn(submission_id: str) -> bool:
    return Withdrawal.select().where(Withdrawal.submission_id == submission_id).exists()


def _check_on_page(page: Page, submission_ids: Collection[str]) -> None:
    wanted = set(submission_ids)
    if not all(map(is_id, wanted)):
        raise NotFound("Not all of these are ids.")
    found = Submission.select().where(Submission.page == page, Submission.id.in_(list(wanted)))
    if found.count() != len(wanted):
        raise NotFound("Not all of these submissions belong to the page.")


def _check_pending(submission: Submission) -> None:
    if submission.status != "pending":
        raise InvalidInput(f"The submission {submission.id} is already {submission.status}.")


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
