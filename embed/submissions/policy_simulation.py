"""What another policy would have decided on the latest submissions."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from embed.balances.observations import read_balances
from embed.db.connection import db
from embed.db.models import STATUSES, Page, Submission
from embed.domain import policy
from embed.domain.policy import Policy
from embed.domain.times import to_ms
from embed.errors import ApiError
from embed.submissions.history import History
from embed.submissions.queries import list_by_status

MAX_SIMULATED = 50
# Enough of the past to count queues by, however long a page lives.
MAX_QUEUED = 5_000
# Refusals that no field of the policy is about.
_BEFORE_POLICY, _AFTER_POLICY = "rate_limited", "duplicate"


@dataclass(frozen=True, slots=True)
class SimulatedDecision:
    """One submission: what became of it when it was sent, and what would have."""

    submission: Submission
    before: str
    after: str

    @property
    def differs(self) -> bool:
        return self.before != self.after


def simulate(page: Page, rules: Policy) -> list[SimulatedDecision]:
    """Replay the page's latest submissions, newest first, under other rules.

    Each is judged by what was known at its time, except its balance: what is known of that
    is the newest observation. The queue is as long as it was under the rules of the time.
    """
    latest = list_by_status(page, STATUSES, limit=MAX_SIMULATED)
    past = _Past(page, latest)
    return [SimulatedDecision(one, _tell_first(one), _judge(one, past, rules)) for one in latest]


def _tell_first(submission: Submission) -> str:
    """Return what the visitor was answered, whatever the owner decided later."""
    if submission.status == "soft_rejected":
        return str(submission.reject_reason)
    return "auto_approved" if submission.status == "auto_approved" else "pending"


def _judge(submission: Submission, past: "_Past", rules: Policy) -> str:
    if submission.reject_reason == _BEFORE_POLICY:
        return _BEFORE_POLICY
    now, wallet = submission.created_at, submission.wallet_address
    try:
        policy.check_gate(past.balances.get(wallet, Decimal(0)), rules.min_balance)
        rejected_at = past.history.find_rejected_at(wallet, as_of=submission)
        policy.check_cooldown(rejected_at, now, rules.cooldown)
        record = past.history.build_track_record(wallet, submission.session_id, as_of=submission)
        decision = policy.decide(rules, record)
        if decision == "pending":
            policy.check_queue(past.count_waiting(now), rules.queue_capacity)
    except ApiError as refusal:
        return policy.REJECT_REASON_BY_CODE[refusal.code]
    return _AFTER_POLICY if submission.reject_reason == _AFTER_POLICY else decision


class _Past:
    """What was known when each of the latest submissions was sent, in few statements."""

    def __init__(self, page: Page, latest: Sequence[Submission]) -> None:
        addresses = {one.wallet_address for one in latest}
        sessions = {one.session_id for one in latest if one.session_id is not None}
        self.balances = read_balances(page, addresses)
        self.history = History.read(page, addresses, sessions)
        self._sent_ms, self._left_ms = _list_queue_times(page)

    def count_waiting(self, now: datetime) -> int:
        return bisect_left(self._sent_ms, to_ms(now)) - bisect_right(self._left_ms, to_ms(now))


def _list_queue_times(page: Page) -> tuple[list[int], list[int]]:
    """Return when submissions came into the queue and when they left it, in ms, each sorted."""
    sent_ms: list[int] = []
    left_ms: list[int] = []
    for status in ("pending", "approved", "rejected"):
        query = (
            Submission.select(Submission.created_at, Submission.decided_at)
            .where(Submission.page == page, Submission.status == status)
            .order_by(Submission.created_at.desc())
            .limit(MAX_QUEUED)
        )
        rows: Any = db.execute(query)  # as they are kept: 15,000 datetimes take a while to make
        for created_ms, decided_ms in rows:
            sent_ms.append(created_ms)
            if decided_ms is not None:
                left_ms.append(decided_ms)
    return sorted(sent_ms), sorted(left_ms)
