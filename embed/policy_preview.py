"""What another policy would have decided on the latest submissions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from embed.balances import read_balances
from embed.domain import policy
from embed.domain.policy import Policy, TrackRecord
from embed.errors import ApiError
from embed.models import Page, Submission
from embed.submissions import list_newest

PREVIEWED = 50
# Enough of the past to count queues and ladders by, however long a page lives.
MAX_HISTORY = 5_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """One submission: what became of it when it was sent, and what would have."""

    submission: Submission
    before: str
    after: str

    @property
    def differs(self) -> bool:
        return self.before != self.after


def preview(page: Page, rules: Policy) -> list[Outcome]:
    """Replay the page's latest submissions, newest first, under other rules.

    Each is judged by what was known at its time, except its balance: what is known of that
    is the newest observation. The trust ladder is replayed on this page's history alone.
    """
    history = list_newest(Submission.page == page, limit=MAX_HISTORY)
    latest = history[:PREVIEWED]
    balances = read_balances(page.token_mint, {one.wallet_address for one in latest})
    return [Outcome(one, _tell_first(one), _judge(one, history, balances, rules)) for one in latest]


def _tell_first(submission: Submission) -> str:
    """Return what the visitor was answered, whatever the owner decided later."""
    if submission.status == "soft_rejected":
        return str(submission.reject_reason)
    return "auto_approved" if submission.status == "auto_approved" else "pending"


def _judge(
    submission: Submission,
    history: Sequence[Submission],
    balances: dict[str, float],
    rules: Policy,
) -> str:
    now = submission.created_at
    earlier = [one for one in history if one.created_at < now]
    wallet = submission.wallet_address
    try:
        policy.check_gate(balances.get(wallet, 0.0), rules.min_balance)
        policy.check_cooldown(_rejected_at(wallet, earlier, now), now, rules.cooldown)
        decision = policy.decide(rules, _read_record(submission, earlier, now))
        if decision == "pending":
            policy.check_queue(_count_waiting(earlier, now), rules.queue_capacity)
    except ApiError as refusal:
        return policy.REJECT_REASON_BY_CODE[refusal.code]
    return decision


def _decided(earlier: Sequence[Submission], status: str, now: datetime) -> list[Submission]:
    return [
        one
        for one in earlier
        if one.status == status and one.decided_at is not None and one.decided_at <= now
    ]


def _rejected_at(wallet: str, earlier: Sequence[Submission], now: datetime) -> datetime | None:
    rejected = [one for one in _decided(earlier, "rejected", now) if one.wallet_address == wallet]
    return max((one.decided_at for one in rejected), default=None)


def _read_record(
    submission: Submission, earlier: Sequence[Submission], now: datetime
) -> TrackRecord:
    def by_submitter(status: str) -> list[datetime]:
        return [
            one.decided_at
            for one in _decided(earlier, status, now)
            if one.wallet_address == submission.wallet_address
            or (submission.session_id is not None and one.session_id == submission.session_id)
        ]

    approved, rejected = by_submitter("approved"), by_submitter("rejected")
    return TrackRecord(len(approved), max(approved, default=None), max(rejected, default=None))


def _count_waiting(earlier: Sequence[Submission], now: datetime) -> int:
    return sum(
        1
        for one in earlier
        if one.status in ("pending", "approved", "rejected")
        and (one.decided_at is None or one.decided_at > now)
    )
