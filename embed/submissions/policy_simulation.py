"""What another policy would have decided on the latest submissions."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from embed.balances.observations import read_balances
from embed.db.connection import db
from embed.db.models import STATUSES, Page, Submission
from embed.domain import policy
from embed.domain.policy import Policy, TrackRecord
from embed.domain.times import to_ms
from embed.errors import ApiError
from embed.submissions.history import is_on_pages_of_owner
from embed.submissions.queries import list_by_status

PREVIEWED = 50
# Enough of the past to count queues and ladders by, however long a page lives.
MAX_HISTORY = 5_000
# Refusals that no field of the policy is about.
_BEFORE_POLICY, _AFTER_POLICY = "rate_limited", "duplicate"


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
    is the newest observation. The queue is as long as it was under the rules of the time.
    """
    latest = list_by_status(page, STATUSES, limit=PREVIEWED)
    past = _Past(page, latest)
    return [Outcome(one, _tell_first(one), _judge(one, past, rules)) for one in latest]


def _tell_first(submission: Submission) -> str:
    """Return what the visitor was answered, whatever the owner decided later."""
    if submission.status == "soft_rejected":
        return str(submission.reject_reason)
    return "auto_approved" if submission.status == "auto_approved" else "pending"


def _judge(submission: Submission, past: "_Past", rules: Policy) -> str:
    if submission.reject_reason == _BEFORE_POLICY:
        return _BEFORE_POLICY
    now = submission.created_at
    try:
        balance = past.balances.get(submission.wallet_address, Decimal(0))
        policy.check_gate(balance, rules.min_balance)
        policy.check_cooldown(past.find_rejected_at(submission), now, rules.cooldown)
        decision = policy.decide(rules, past.read_record(submission))
        if decision == "pending":
            policy.check_queue(past.count_waiting(now), rules.queue_capacity)
    except ApiError as refusal:
        return policy.REJECT_REASON_BY_CODE[refusal.code]
    return _AFTER_POLICY if submission.reject_reason == _AFTER_POLICY else decision


class _Past:
    """What was known when each of the latest submissions was sent, in few statements."""

    def __init__(self, page: Page, latest: Sequence[Submission]) -> None:
        self._page = page
        addresses = {one.wallet_address for one in latest}
        sessions = {one.session_id for one in latest if one.session_id is not None}
        self.balances = read_balances(page, addresses)
        self._by_wallet = _list_decided(
            Submission.wallet_address.in_(list(addresses)),
            is_on_pages_of_owner(page.owner_id),
            key="wallet_address",
        )
        self._by_session = _list_decided(
            Submission.session_id.in_(list(sessions)), Submission.page == page, key="session_id"
        )
        self._sent_ms, self._left_ms = _list_queue_times(page)

    def find_rejected_at(self, submission: Submission) -> datetime | None:
        """Return when the wallet was last rejected on this page before it was sent again."""
        return max(
            (
                one.decided_at
                for one in self._by_wallet[submission.wallet_address]
                if one.page_id == self._page.id
                and one.status == "rejected"
                and one.decided_at <= submission.created_at
            ),
            default=None,
        )

    def read_record(self, submission: Submission) -> TrackRecord:
        both = self._by_wallet[submission.wallet_address] + (
            self._by_session[submission.session_id] if submission.session_id is not None else []
        )
        earlier = {
            one.id: one
            for one in both
            if one.decided_at <= submission.created_at and one.id != submission.id
        }
        approved, rejected = (
            [one.decided_at for one in earlier.values() if one.status == status]
            for status in ("approved", "rejected")
        )
        return TrackRecord(len(approved), max(approved, default=None), max(rejected, default=None))

    def count_waiting(self, now: datetime) -> int:
        return bisect_left(self._sent_ms, to_ms(now)) - bisect_right(self._left_ms, to_ms(now))


def _list_decided(*conditions: Any, key: str) -> defaultdict[Any, list[Submission]]:
    """Return what was decided by hand, by wallet or by session."""
    query = (
        Submission.select()
        # Said as what it is not: SQLite would rather search by status than by session.
        .where(*conditions, Submission.status.not_in(("pending", "auto_approved", "soft_rejected")))
        .order_by(Submission.decided_at.desc())
        .limit(MAX_HISTORY)
    )
    by_key: defaultdict[Any, list[Submission]] = defaultdict(list)
    for one in query:
        by_key[getattr(one, key)].append(one)
    return by_key


def _list_queue_times(page: Page) -> tuple[list[int], list[int]]:
    """Return when submissions came into the queue and when they left it, in ms, each sorted."""
    sent_ms: list[int] = []
    left_ms: list[int] = []
    for status in ("pending", "approved", "rejected"):
        query = (
            Submission.select(Submission.created_at, Submission.decided_at)
            .where(Submission.page == page, Submission.status == status)
            .order_by(Submission.created_at.desc())
            .limit(MAX_HISTORY)
        )
        rows: Any = db.execute(query)  # as they are kept: 15,000 datetimes take a while to make
        for created_ms, decided_ms in rows:
            sent_ms.append(created_ms)
            if decided_ms is not None:
                left_ms.append(decided_ms)
    return sorted(sent_ms), sorted(left_ms)
