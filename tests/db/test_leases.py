"""Leases: what only one process may do at a time."""

from datetime import timedelta
from functools import partial

import pytest
from support.remote import at_once

from embed.db.connection import db
from embed.db.leases import claim, release_lease, renew_lease, take_lease
from embed.db.models import Job

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def now(world, clock):
    return clock()


def test_lease_has_one_holder_until_it_runs_out(now):
    assert take_lease("balances", "a", now, MINUTE)
    assert not take_lease("balances", "b", now + MINUTE - timedelta(milliseconds=1), MINUTE)
    assert not take_lease("balances", "a", now, MINUTE)

    assert take_lease("balances", "b", now + MINUTE, MINUTE)


def test_leases_of_other_names_are_free(now):
    assert take_lease("balances", "a", now, MINUTE)
    assert take_lease("feed", "b", now, MINUTE)


def test_lease_that_is_renewed_lasts_longer(now):
    take_lease("balances", "a", now, MINUTE)

    assert renew_lease("balances", "a", now + MINUTE / 2, MINUTE)
    assert not take_lease("balances", "b", now + MINUTE, MINUTE)


def test_lease_that_another_took_cannot_be_renewed_nor_released(now):
    take_lease("balances", "a", now, MINUTE)
    take_lease("balances", "b", now + MINUTE, MINUTE)

    assert not renew_lease("balances", "a", now + MINUTE, MINUTE)
    assert not release_lease("balances", "a")
    assert Job.get_by_id("balances").leased_by == "b"


def test_lease_that_ran_out_can_be_renewed_while_nobody_took_it(now):
    take_lease("balances", "a", now, MINUTE)
    assert renew_lease("balances", "a", now + 2 * MINUTE, MINUTE)


def test_released_lease_is_free_at_once_and_the_job_keeps_its_report(now):
    take_lease("balances", "a", now, MINUTE)
    Job.update(summary="read").execute()

    assert release_lease("balances", "a")
    assert not release_lease("balances", "a")
    assert not renew_lease("balances", "a", now, MINUTE)
    assert take_lease("balances", "b", now, MINUTE)
    assert Job.get_by_id("balances").summary == "read"


@pytest.mark.parametrize("take", [take_lease, partial(claim, longest_wait=MINUTE)])
def test_of_many_who_ask_at_once_one_gets_the_lease(now, take):
    def ask(holder):
        try:
            return take("balances", holder, now, MINUTE)
        finally:
            db.close()

    answers = at_once([lambda holder=str(number): ask(holder) for number in range(8)])
    assert sorted(answers) == [False] * 7 + [True]


def test_task_is_claimed_when_it_is_due_and_nobody_does_it(now):
    Job.create(name="balances", due_at=now + MINUTE)

    assert not claim("balances", "a", now, MINUTE, longest_wait=MINUTE)
    assert claim("balances", "a", now + MINUTE, MINUTE, longest_wait=MINUTE)
    assert not claim("balances", "b", now + MINUTE, MINUTE, longest_wait=MINUTE)
    assert Job.get_by_id("balances").started_at == now + MINUTE


def test_task_that_waits_for_longer_than_any_does_is_due(now):
    Job.create(name="balances", due_at=now + MINUTE)

    assert claim("balances", "a", now, MINUTE, longest_wait=MINUTE / 2)


def test_lease_from_before_the_clock_went_back_is_over(world):
    now = world.clock()
    assert take_lease("job", "one", now, timedelta(seconds=30))

    assert not take_lease("job", "other", now - timedelta(minutes=4), timedelta(seconds=30))
    assert take_lease("job", "other", now - timedelta(hours=1), timedelta(seconds=30))
