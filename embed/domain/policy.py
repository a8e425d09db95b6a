"""The owner's policy: plain values in, a decision out (spec 4.3, in its order of checks)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from embed.errors import ApiError

# Nobody knows when an owner will have reviewed something: ask again in a minute.
QUEUE_RETRY_AFTER = timedelta(minutes=1)

Decision = Literal["pending", "auto_approved"]

# What the visitor's own list says of each refusal (spec 2.4, rejectReason).
REJECT_REASON_BY_CODE = {
    "ca_gate_failed": "ca_gate",
    "cooldown_active": "cooldown",
    "queue_full": "queue_full",
    "duplicate": "duplicate",
    "rate_limit_session": "rate_limited",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    auto_approve: bool = False
    min_balance: Decimal = Decimal(0)  # whole tokens; 0: no gate
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
        """Tell whether enough was approved by hand, and nothing rejected since the last."""
        if trust_after == 0 or self.approved_by_hand < trust_after or not self.last_approved_at:
            return False
        return self.last_rejected_at is None or self.last_rejected_at < self.last_approved_at


def check_gate(balance: Decimal, min_balance: Decimal) -> None:
    """Raises ApiError `ca_gate_failed` below the minimum; the minimum itself is enough."""
    if balance < min_balance:
        raise ApiError("ca_gate_failed", balance=balance, minBalance=min_balance)


def check_cooldown(rejected_at: datetime | None, now: datetime, cooldown: timedelta) -> None:
    """Keep a rejected wallet away for `cooldown`.

    Raises ApiError `cooldown_active` (spec 8); over at the exact end.
    """
    if rejected_at is None:
        return
    remaining = rejected_at + cooldown - now
    if remaining > timedelta():
        raise ApiError("cooldown_active", retry_after=remaining)


def check_queue(pending_count: int, capacity: int) -> None:
    """Raises ApiError `queue_full` when `capacity` submissions wait already."""
    if pending_count >= capacity:
        raise ApiError("queue_full", retry_after=QUEUE_RETRY_AFTER)


def decide(policy: Policy, record: TrackRecord) -> Decision:
    """Say whether a submission that passed the gate and the cooldown waits for the owner."""
    if policy.auto_approve or record.earns_trust(policy.trust_after):
        return "auto_approved"
    return "pending"
