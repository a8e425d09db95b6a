"""The owner's policy as pure functions, in the order of docs/api.md, The order of checks."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from embed.errors import ApiError

# We cannot know when the owner will review something, so callers should retry in a minute.
QUEUE_RETRY_AFTER = timedelta(minutes=1)

Decision = Literal["pending", "auto_approved"]

# The rejectReason of each refusal in the visitor's own list (docs/api.md, List own submissions).
REJECT_REASON_BY_CODE = {
    "ca_gate_failed": "ca_gate",
    "cooldown_active": "cooldown",
    "queue_full": "queue_full",
    "duplicate": "duplicate",
    "rate_limit_session": "rate_limited",
    "not_accepted": "manual",  # by the deny list; says no more than a rejection by hand
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    auto_approve: bool = False
    min_balance: Decimal = Decimal(0)  # whole tokens; 0: none
    queue_capacity: int = 100
    cooldown: timedelta = timedelta(days=1)
    trust_after: int = 0  # approvals by hand; 0: no ladder


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """How the owner decided on earlier submissions of the same wallet or session."""

    approved_by_hand: int = 0
    last_approved_at: datetime | None = None
    last_rejected_at: datetime | None = None

    def earns_trust(self, trust_after: int) -> bool:
        """Tell whether enough was approved by hand, and nothing rejected since."""
        if trust_after == 0 or self.approved_by_hand < trust_after or not self.last_approved_at:
            return False
        return self.last_rejected_at is None or self.last_rejected_at < self.last_approved_at


def check_gate(balance: Decimal, min_balance: Decimal) -> None:
    """Raises ApiError `ca_gate_failed` below the minimum; the minimum itself is enough."""
    if balance < min_balance:
        raise ApiError("ca_gate_failed", balance=balance, minBalance=min_balance)


def check_cooldown(rejected_at: datetime | None, now: datetime, cooldown: timedelta) -> None:
    """Refuse a rejected wallet for `cooldown`.

    Raises ApiError `cooldown_active`; the end of the cooldown is exclusive.
    """
    if rejected_at is None:
        return
    remaining = rejected_at + cooldown - now
    if remaining > timedelta():
        raise ApiError("cooldown_active", retry_after=remaining)


def check_queue(pending_count: int, capacity: int) -> None:
    """Raises ApiError `queue_full` when `capacity` submissions are already pending."""
    if pending_count >= capacity:
        raise ApiError("queue_full", retry_after=QUEUE_RETRY_AFTER)


def is_filling(pending_count: int, capacity: int) -> bool:
    """Tell whether the newest of these pending submissions has filled four fifths of the queue.

    This is true only once, until the queue shrinks and fills up again.
    """
    return 5 * (pending_count - 1) < 4 * capacity <= 5 * pending_count


def decide(policy: Policy, record: TrackRecord) -> Decision:
    """Decide on a submission that passed the minimum balance and the cooldown."""
    if policy.auto_approve or record.earns_trust(policy.trust_after):
        return "auto_approved"
    return "pending"
