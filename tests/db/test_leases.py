"""Leases: what only one process may do at a time."""

from datetime import timedelta

import pytest
from remote import at_once

from embed.db.connection import db
from embed.db.leases import release_lease, renew_lease, take_lease
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


def test_of_many_who_ask_at_once_one_gets_the_lease(now):
    def take(holder):
        try:
            return take_lease("balances", holder, now, MINUTE)
        finally:
            db.close()

    answers = at_once([lambda holder=str(number): take(holder) for number in range(8)])
    assert sorted(answers) == [False] * 7 + [True]


def test_lease_from_before_the_clock_went_back_is_over(world):
    now = world.clock()
    assert take_lease("job", "one", now, timedelta(seconds=30))

    assert not take_lease("job", "other", now - timedelta(minutes=4), timedelta(seconds=30))
    assert take_lease("job", "other", now - timedelta(hours=1), timedelta(seconds=30))
