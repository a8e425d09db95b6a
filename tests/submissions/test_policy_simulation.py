"""Simulating another policy on earlier submissions, without changing them."""

from datetime import timedelta

import pytest
from support.many_submissions import add_submissions

from embed.db.models import Page, Submission
from embed.domain.policy import Policy
from embed.submissions import policy_simulation

pytestmark = pytest.mark.databases("sqlite", "postgres")

OPEN = Policy(cooldown=timedelta(0))
WALLET = "w" * 32
SESSION = "s" * 20


def look(world, **rules) -> list[tuple[str, str]]:
    """Return the actual and the simulated outcomes, oldest first."""
    outcomes = policy_simulation.simulate(
        world.page, Policy(**({"cooldown": timedelta(0)} | rules)), world.balances
    )
    return [(one.before, one.after) for one in reversed(outcomes)]


def fill_at(world, minutes: int, status: str, **fields) -> None:
    """Store a submission sent some minutes after the start, decided a minute later."""
    sent_at = world.clock() + timedelta(minutes=minutes)
    decided_at = None if status == "pending" else sent_at + timedelta(minutes=1)
    add_submissions(world, 1, status, created_at=sent_at, **({"decided_at": decided_at} | fields))


def test_policy_as_it_was_decides_as_it_did(world):
    fill_at(world, 0, "approved")
    fill_at(world, 2, "rejected")
    fill_at(world, 4, "pending")

    assert look(world) == [("pending", "pending")] * 3


def test_ladder_counts_what_was_approved_by_hand_before(world):
    for minutes in (0, 10, 20):
        fill_at(world, minutes, "approved", session_id=SESSION)

    after = [after for _, after in look(world, trust_after=2)]
    assert after == ["pending", "pending", "auto_approved"]


def test_wallet_climbs_the_ladder_on_all_pages_of_its_owner(world):
    fill_at(world, 0, "approved", wallet_address=WALLET)
    Submission.update(page=world.make_page()).execute()
    fill_at(world, 10, "pending", wallet_address=WALLET)

    assert look(world, trust_after=1) == [("pending", "auto_approved")]


def test_longer_cooldown_keeps_a_rejected_wallet_away(world):
    fill_at(world, 0, "rejected", wallet_address=WALLET)
    fill_at(world, 60, "pending", wallet_address=WALLET)

    assert look(world, cooldown=timedelta(minutes=59)) == [("pending", "pending")] * 2
    assert look(world, cooldown=timedelta(minutes=60))[1] == ("pending", "cooldown")


def test_minimum_is_compared_with_the_balance_known_today(world):
    world.observe(WALLET, 10)
    fill_at(world, 0, "pending", wallet_address=WALLET)
    fill_at(world, 1, "pending")

    assert [after for _, after in look(world, min_balance=10)] == ["pending", "ca_gate"]


def test_smaller_queue_is_full_when_others_waited(world):
    fill_at(world, 0, "approved", decided_at=world.clock() + timedelta(minutes=15))
    for minutes in (10, 20, 30):
        fill_at(world, minutes, "pending")

    after = [after for _, after in look(world, queue_capacity=2)]
    assert after == ["pending", "pending", "pending", "queue_full"]


@pytest.mark.parametrize("reason", ["duplicate", "rate_limited"])
def test_refusal_that_no_policy_is_about_stays(world, reason):
    fill_at(world, 0, "soft_rejected", reject_reason=reason)

    assert look(world, auto_approve=True) == [(reason, reason)]


def test_latest_fifty_are_looked_at_newest_first(world):
    ids = add_submissions(world, 30) + add_submissions(world, 30, "approved")
    newest = sorted(
        (Submission.get_by_id(one) for one in ids), key=lambda one: (one.created_at, one.id)
    )[:-51:-1]

    outcomes = policy_simulation.simulate(world.page, OPEN, world.balances)
    assert [one.submission.id for one in outcomes] == [one.id for one in newest]


def test_preview_changes_nothing(world):
    add_submissions(world, 5)
    before = world.dump()
    rules = Policy(auto_approve=True)
    policy_simulation.simulate(Page.get_by_id(world.page_id), rules, world.balances)

    assert world.dump() == before
