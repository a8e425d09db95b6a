"""The owner's decisions on pending submissions, on one or on many of them at once."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from embed.balances.known import BalanceSource
from embed.db.models import LIVE, Page, Submission, Wallet, Withdrawal
from embed.domain import policy
from embed.domain.identifiers import is_id
from embed.domain.reasons import NO_REASON, Reason
from embed.errors import InvalidInput, NotFound
from embed.events.editing import Change, Edit, editing
from embed.events.kinds import SubmissionFacts
from embed.metrics import DECISIONS
from embed.serializers import describe_submission_for_owner
from embed.submissions.deny_list import block_wallets, unblock_wallets
from embed.submissions.queries import MAX_CHANGED, count_waiting
from embed.submissions.review_context import list_clear
from embed.wallets.tracking import PageFull, remove_submitted_wallets, track_approved

UNDO_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Undecided:
    """A submission that couldn't be decided, in its current state, and why."""

    submission: Submission
    reason: InvalidInput


@dataclass(frozen=True, slots=True)
class Result:
    decided: list[Submission]
    undecided: list[Undecided]
    withdrawn: list[str]  # ids of submissions that the wallets' holders withdrew


def approve(
    page: Page,
    submission_ids: Collection[str],
    change: Change,
    *,
    balances: BalanceSource | None = None,
) -> Result:
    """Add pending wallets to their page, leaving out those that can't be approved.

    With `balances`, also leave out those that something speaks against by now.
    Raises NotFound, InvalidInput, like all decisions here: see _Batch.
    """
    with editing(page.id, change) as edit:
        batch = _Batch(edit, page, submission_ids)
        batch.leave_out(_explain_decided)
        if balances is not None:
            chosen = Submission.id.in_([one.id for one in batch.submissions])
            clear = set(list_clear(edit.page, balances, chosen))
            doubt = InvalidInput("Something speaks against it now.")
            batch.leave_out(lambda one: None if one.id in clear else doubt)
        if edit.page.deleted_at is not None:
            batch.leave_out(
                lambda _: InvalidInput("The page %(page)s has been deleted.", page=page.id)
            )
        left_out = track_approved(
            edit.page.id, batch.submissions, change.now, max_wallets=change.settings.max_wallets
        )
        without_room = {one.id for one in left_out}
        too_many = PageFull(change.settings.max_wallets)
        batch.leave_out(lambda one: too_many if one.id in without_room else None)
        batch.change(status="approved", decided_at=change.now)
        for one in batch.submissions:
            edit.log("approve submission", _describe(one))
    return batch.finish("approved")


def reject(
    page: Page,
    submission_ids: Collection[str],
    change: Change,
    *,
    reason: Reason = NO_REASON,
    blocks: bool = False,
) -> Result:
    """Reject pending submissions, which starts their wallets' cooldown.

    With `blocks`, the wallets also go on the page's deny list.
    """
    with editing(page.id, change) as edit:
        batch = _Batch(edit, page, submission_ids)
        batch.leave_out(_explain_decided)
        batch.change(
            status="rejected",
            reject_reason="manual",
            reason_code=reason.code,
            reason_text=reason.text,
            decided_at=change.now,
        )
        for one in batch.submissions:
            edit.log("reject submission", _describe(one))
        if blocks:
            block_wallets(edit, batch.submissions)
    return batch.finish("rejected")


def undo(page: Page, submission_ids: Collection[str], change: Change) -> Result:
    """Make submissions that were decided by hand within UNDO_WITHIN pending again.

    Leaves out those that were withdrawn, or whose wallet has been submitted again. Wallets that
    were blocked along with their rejection are unblocked.
    """
    with editing(page.id, change) as edit:
        batch = _Batch(edit, page, submission_ids)
        batch.leave_out(lambda one: _explain_final(one, change.now))
        withdrawn = _find_withdrawn([one.id for one in batch.submissions])  # rejected rows are kept
        gone = InvalidInput("The wallet's holder withdrew it.")
        batch.leave_out(lambda one: gone if one.id in withdrawn else None)
        batch.leave_out(_make_live_check(edit.page, batch.submissions))
        remove_submitted_wallets(Wallet.submission.in_([one.id for one in batch.submissions]))
        pending = count_waiting(edit.page)
        batch.change(
            status="pending",
            reject_reason=None,
            reason_code=None,
            reason_text=None,
            decided_at=None,
        )
        for number, one in enumerate(batch.submissions, start=1):
            edit.log("undo decision", _describe(one))
            for message in list_filling(pending + number, edit.page.queue_capacity):
                edit.tell(*message)
        unblock_wallets(edit, batch.submissions)
    return batch.finish("undone")


def _describe(submission: Submission) -> SubmissionFacts:
    return SubmissionFacts.read(describe_submission_for_owner(submission))


def decide_one(
    submission_id: str, decide: Callable[[Page, Sequence[str]], Result], *, page: Page | None = None
) -> Submission:
    """Decide on one submission with one of the functions above.

    It must belong to `page`, if given. Raises NotFound, and InvalidInput if it can't be decided.
    """
    submission = Submission.get_or_none(Submission.id == submission_id)
    if submission is not None and page in (None, submission.page):
        result = decide(submission.page, [submission_id])
        for undecided in result.undecided:
            raise undecided.reason
        if result.decided:
            return result.decided[0]
    if _find_withdrawn([submission_id]):
        raise NotFound(f"The wallet's holder has withdrawn the submission {submission_id}.")
    raise NotFound(f"There is no submission {submission_id}.")


def list_filling(pending: int, queue_capacity: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the message for receivers if the newest pending submission calls for one."""
    if not policy.is_filling(pending, queue_capacity):
        return []
    return [("queue.filling", {"pending": pending, "queueCapacity": queue_capacity})]


class _Batch:
    """Submissions of a locked page, changed together."""

    def __init__(self, edit: Edit, page: Page, submission_ids: Collection[str]) -> None:
        """Read them in the given order.

        Raises NotFound unless all belong to the page, and the page still to the owner in `page`;
        InvalidInput for too many.
        """
        if len(submission_ids) > MAX_CHANGED:
            raise InvalidInput(
                "At most %(max)s submissions can be changed at once.", max=MAX_CHANGED
            )
        if edit.page.owner_id != page.owner_id:
            raise NotFound("The page now belongs to another owner.")
        ids = list(dict.fromkeys(submission_ids))
        if not all(map(is_id, ids)):
            raise NotFound("Not all of these are ids.")
        rows = Submission.select().where(Submission.page == edit.page, Submission.id.in_(ids))
        by_id = {one.id: one for one in rows}
        missing = [one for one in ids if one not in by_id]
        withdrawn = _find_withdrawn(missing, Withdrawal.page == edit.page) if missing else set()
        if withdrawn != set(missing):
            raise NotFound("Not all of these submissions belong to the page.")
        self.submissions = [by_id[one] for one in ids if one in by_id]
        self._undecided: list[Undecided] = []
        self._withdrawn = sorted(withdrawn)

    def leave_out(self, explain: Callable[[Submission], InvalidInput | None]) -> None:
        """Leave out the submissions for which `explain` returns a reason."""
        kept = []
        for one in self.submissions:
            reason = explain(one)
            if reason is None:
                kept.append(one)
            else:
                self._undecided.append(Undecided(one, reason))
        self.submissions = kept

    def change(self, **values: Any) -> None:
        ids = [one.id for one in self.submissions]
        Submission.update(values).where(Submission.id.in_(ids)).execute()
        for one in self.submissions:
            for name, value in values.items():
                setattr(one, name, value)

    def finish(self, decision: str) -> Result:
        """Count what was changed and return all outcomes; call this after the commit."""
        DECISIONS.labels(decision).inc(len(self.submissions))
        return Result(self.submissions, self._undecided, self._withdrawn)


def _explain_decided(submission: Submission) -> InvalidInput | None:
    if submission.status == "pending":
        return None
    return InvalidInput(
        "The submission %(id)s is already %(status)s.", id=submission.id, status=submission.status
    )


def _explain_final(submission: Submission, now: datetime) -> InvalidInput | None:
    """Return why a decision can't be undone, going by the submission alone."""
    decided_at = submission.decided_at
    if submission.status not in ("approved", "rejected") or decided_at is None:
        return InvalidInput("There's nothing to undo.")
    too_late = InvalidInput("It's too late to undo this.")
    return too_late if now > decided_at + UNDO_WITHIN else None


def _make_live_check(
    page: Page, submissions: Sequence[Submission]
) -> Callable[[Submission], InvalidInput | None]:
    """Return a check for rejected wallets that were submitted again, perhaps in this batch."""
    rejected = [one.wallet_address for one in submissions if one.status == "rejected"]
    found = Submission.select(Submission.wallet_address).where(
        Submission.page == page,
        Submission.wallet_address.in_(rejected),
        Submission.status.in_(LIVE),
    )
    live = {one.wallet_address for one in found}

    def explain(one: Submission) -> InvalidInput | None:
        if one.status == "rejected" and one.wallet_address in live:
            return InvalidInput("The wallet has been submitted again since then.")
        live.add(one.wallet_address)
        return None

    return explain


def _find_withdrawn(submission_ids: Collection[str], *conditions: Any) -> set[str]:
    rows = Withdrawal.select(Withdrawal.submission_id).where(
        Withdrawal.submission_id.in_(list(submission_ids)), *conditions
    )
    return {row.submission_id for row in rows}
