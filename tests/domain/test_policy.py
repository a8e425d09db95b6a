from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from embed.domain.policy import (
    REJECT_REASON_BY_CODE,
    Policy,
    TrackRecord,
    check_cooldown,
    check_gate,
    check_queue,
    decide,
)
from embed.errors import STATUS_BY_CODE, ApiError

HOUR = timedelta(hours=1)
MILLISECOND = timedelta(milliseconds=1)
EARLIER = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
LATER = EARLIER + MILLISECOND


@pytest.mark.parametrize(
    ("balance", "min_balance"),
    [
        pytest.param(Decimal(100), Decimal(100), id="exactly enough"),
        pytest.param(Decimal("1e20"), Decimal(100), id="far more"),
    ],
)
def test_wallet_that_holds_the_minimum_passes_the_gate(balance, min_balance):
    check_gate(balance, min_balance)


@pytest.mark.parametrize(
    ("balance", "min_balance"),
    [
        pytest.param(Decimal(0), Decimal(100), id="nothing"),
        pytest.param(
            Decimal("18446744073.709551614"),
            Decimal("18446744073.709551615"),
            id="one unit short of what a float cannot tell apart",
        ),
    ],
)
def test_wallet_that_holds_less_learns_what_it_has_and_needs(balance, min_balance):
    with pytest.raises(ApiError, match=r"^ca_gate_failed$") as refusal:
        check_gate(balance, min_balance)

    assert refusal.value.status == 422
    assert refusal.value.details == {"balance": balance, "minBalance": min_balance}
    assert refusal.value.retry_after is None


@pytest.mark.parametrize(
    ("elapsed", "remaining"),
    [
        pytest.param(timedelta(), HOUR, id="at once"),
        pytest.param(HOUR - MILLISECOND, MILLISECOND, id="a moment before the end"),
    ],
)
def test_wallet_on_cooldown_learns_when_to_return(elapsed, remaining):
    with pytest.raises(ApiError, match=r"^cooldown_active$") as refusal:
        check_cooldown(EARLIER, now=EARLIER + elapsed, cooldown=HOUR)

    assert refusal.value.status == 429
    assert refusal.value.retry_after == remaining


@pytest.mark.parametrize(
    ("elapsed", "cooldown"),
    [
        pytest.param(HOUR, HOUR, id="at the exact end"),
        pytest.param(timedelta(), timedelta(), id="a page without cooldown"),
    ],
)
def test_wallet_may_return_after_its_cooldown(elapsed, cooldown):
    check_cooldown(EARLIER, now=EARLIER + elapsed, cooldown=cooldown)


def test_wallet_that_was_never_rejected_has_no_cooldown():
    check_cooldown(None, now=EARLIER, cooldown=HOUR)


@pytest.mark.parametrize(("pending", "capacity"), [(0, 1), (99, 100)])
def test_queue_takes_one_more_while_there_is_room(pending, capacity):
    check_queue(pending, capacity)


@pytest.mark.parametrize(
    ("pending", "capacity"),
    [
        pytest.param(100, 100, id="full"),
        pytest.param(0, 0, id="no queue at all"),
    ],
)
def test_full_queue_says_when_to_ask_again(pending, capacity):
    with pytest.raises(ApiError, match=r"^queue_full$") as refusal:
        check_queue(pending, capacity)

    assert refusal.value.status == 429
    assert refusal.value.retry_after > timedelta()


@pytest.mark.parametrize(
    ("trust_after", "record", "is_trusted"),
    [
        pytest.param(0, TrackRecord(9, EARLIER), False, id="no ladder, much approved"),
        pytest.param(1, TrackRecord(1, EARLIER), True, id="exactly enough"),
        pytest.param(3, TrackRecord(2, EARLIER), False, id="one short"),
        pytest.param(1, TrackRecord(0, None, EARLIER), False, id="only rejected"),
        pytest.param(1, TrackRecord(1, LATER, EARLIER), True, id="rejected before the newest"),
        pytest.param(1, TrackRecord(1, EARLIER, LATER), False, id="rejected after the newest"),
        pytest.param(1, TrackRecord(1, EARLIER, EARLIER), False, id="rejected at that instant"),
    ],
)
def test_trust_is_earned_by_approvals_and_lost_by_a_rejection(trust_after, record, is_trusted):
    assert record.earns_trust(trust_after) is is_trusted
    expected = "auto_approved" if is_trusted else "pending"
    assert decide(Policy(trust_after=trust_after), record) == expected


def test_auto_approval_takes_everybody():
    for record in (TrackRecord(), TrackRecord(0, None, EARLIER), TrackRecord(5, EARLIER)):
        assert decide(Policy(auto_approve=True, trust_after=1), record) == "auto_approved"


def test_each_refusal_by_policy_has_the_reason_that_visitors_are_shown():
    # Those of docs/api.md, List own submissions. "manual" is also that of a rejection by hand.
    reasons = {"rate_limited", "queue_full", "duplicate", "ca_gate", "cooldown", "manual"}

    assert set(REJECT_REASON_BY_CODE.values()) == reasons
    assert set(REJECT_REASON_BY_CODE) <= set(STATUS_BY_CODE)
