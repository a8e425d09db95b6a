"""What another policy would have decided on the latest submissions."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from embed.balances.known import BalanceSource
from embed.db.connection import db
from embed.db.models import STATUSES, Page, Submission
from embed.domain import policy
from embed.domain.policy import Policy
from embed.domain.times import to_ms
from embed.errors import ApiError
from embed.submissions.history import History
from embed.submissions.queries import list_by_status

MAX_SIMULATED = 50
# How many submissions of each status are read to count the queue's length.
MAX_QUEUED = 5_000
# Soft rejections that do not depend on the policy: by a limit or the deny list; by the database.
_BEFORE_POLICY, _AFTER_POLICY = ("rate_limited", "manual"), "duplicate"


@dataclass(frozen=True, slots=True)
class SimulatedDecision:
    """A submission's outcome when it was sent, and its outcome under other rules."""

    submission: Submission
    before: str
    after: str

    @property
    def differs(self) -> bool:
        return self.before != self.after


def simulate(page: Page, rules: Policy, balances: BalanceSource) -> list[SimulatedDecision]:
    """Replay the page's latest submissions, newest first, under other rules.

    Each is judged by the state when it was sent, except for its balance: only the newest one is
    stored. The queue is as long as it was under the rules at that time.
    """
    latest = list_by_status(page, STATUSES, limit=MAX_SIMULATED)
    data = _SimulationData(page, latest, balances)
    return [
        SimulatedDecision(one, _get_first_outcome(one), _simulate(one, data, rules))
        for one in latest
    ]


def _get_first_outcome(submission: Submission) -> str:
    """Return the outcome when it was sent, before any decision by hand."""
    if submission.status == "soft_rejected":
        return str(submission.reject_reason)
    return "auto_approved" if submission.status == "auto_approved" else "pending"


def _simulate(submission: Submission, data: "_SimulationData", rules: Policy) -> str:
    if submission.status == "soft_rejected" and submission.reject_reason in _BEFORE_POLICY:
        return submission.reject_reason
    now, wallet = submission.created_at, submission.wallet_address
    try:
        policy.check_gate(data.amounts.get(wallet, Decimal(0)), rules.min_balance)
        rejected_at = data.history.find_rejected_at(wallet, as_of=submission)
        policy.check_cooldown(rejected_at, now, rules.cooldown)
        record = data.history.build_track_record(wallet, submission.session_id, as_of=submission)
        decision = policy.decide(rules, record)
        if decision == "pending":
            policy.check_queue(data.count_pending(now), rules.queue_capacity)
    except ApiError as refusal:
        return policy.REJECT_REASON_BY_CODE[refusal.code]
    return _AFTER_POLICY if submission.reject_reason == _AFTER_POLICY else decision


class _SimulationData:
    """The data for the simulation, read in a few statements."""

    def __init__(self, page: Page, latest: Sequence[Submission], balances: BalanceSource) -> None:
        addresses = {one.wallet_address for one in latest}
        sessions = {one.session_id for one in latest if one.session_id is not None}
        known = balances.read(page, addresses)
        self.amounts = {address: one.amount for address, one in known.items()}
        self.history = History.read(page, addresses, sessions)
        self._entered_ms, self._left_ms = _list_queue_times(page)

    def count_pending(self, now: datetime) -> int:
        return bisect_left(self._entered_ms, to_ms(now)) - bisect_right(self._left_ms, to_ms(now))


def _list_queue_times(page: Page) -> tuple[list[int], list[int]]:
    """Return when submissions entered the queue and when they left it, in ms, each sorted."""
    entered_ms: list[int] = []
    left_ms: list[int] = []
    for status in ("pending", "approved", "rejected"):
        query = (
            Submission.select(Submission.created_at, Submission.decided_at)
            .where(Submission.page == page, Submission.status == status)
            .order_by(Submission.created_at.desc())
            .limit(MAX_QUEUED)
        )
        rows: Any = db.execute(query)  # raw values: converting 15,000 datetimes is slow
        for created_ms, decided_ms in rows:
            entered_ms.append(created_ms)
            if decided_ms is not None:
                left_ms.append(decided_ms)
    return sorted(entered_ms), sorted(left_ms)
