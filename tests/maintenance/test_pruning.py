"""What is deleted by itself, and what is not."""

from datetime import timedelta
from decimal import Decimal

import pytest
from support.many_submissions import add_submissions
from support.world import USDC, Visitor, change_at

from embed.db import batches
from embed.db.connection import db
from embed.db.models import (
    MODELS,
    ChainBalance,
    DailyBalance,
    Job,
    Listing,
    Message,
    RefusalCount,
    Session,
    Submission,
    UsedNonce,
)
from embed.domain.times import count_days
from embed.maintenance.pruning import prune, summarize
from embed.people import sessions
from embed.runtime import EXTENSION
from embed.submissions.soft_rejections import read_counts_without_session
from embed.worker import list_jobs

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

HISTORY = timedelta(days=90)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(batches, "BATCH", 2)


def observe(address: str, observed_at, mint=USDC) -> ChainBalance:
    row = ChainBalance.create(
        mint=mint,
        address=address,
        token_account=address,
        amount=Decimal(5),
        slot=1,
        observed_at=observed_at,
    )
    DailyBalance.create(balance=row, day=0, amount=Decimal(5), observed_at=observed_at)
    return row


def test_balances_of_wallets_that_no_page_has_are_deleted_when_they_are_old(world):
    then = world.clock()
    tracked, removed, pending, other_mint, new = (Visitor().address for _ in range(5))
    world.track(tracked)
    world.track(other_mint)
    add_submissions(world, 1, wallet_address=pending)
    add_submissions(world, 1, "rejected", wallet_address=removed)
    for address in (tracked, removed, pending):
        observe(address, then)
    observe(other_mint, then, mint="another")
    observe(new, then + timedelta(days=1))

    pruned = prune(then + HISTORY, HISTORY)
    assert pruned["balances of wallets that no page has"] == 0
    pruned = prune(then + HISTORY + timedelta(seconds=1), HISTORY)

    assert pruned["balances of wallets that no page has"] == 2
    assert {row.address for row in ChainBalance.select()} == {tracked, pending, new}


def test_refusals_by_policy_are_deleted_after_30_days_and_no_other_submission(world):
    statuses = ("pending", "approved", "rejected", "soft_rejected", "soft_rejected")
    for status in statuses:
        add_submissions(world, 3, status)

    world.clock.forward(days=29, hours=23)
    assert prune(world.clock(), HISTORY)["refusals by policy"] == 0
    world.clock.forward(hours=2)
    assert prune(world.clock(), HISTORY)["refusals by policy"] == 6

    kept = [submission.status for submission in Submission.select()]
    assert sorted(kept) == sorted([*statuses[:3]] * 3)


def test_counted_refusals_are_deleted_once_their_day_is_30_days_ago(world):
    today = count_days(world.clock())
    for days in range(40):
        about = {"page": world.page, "day": today - days, "reason": "ca_gate", "count": 2}
        RefusalCount.create(**about)

    assert prune(world.clock(), HISTORY)["refusals by policy"] == 9
    assert read_counts_without_session(world.page) == {"ca_gate": 62}


def test_sessions_are_deleted_after_14_days_without_a_visit_and_90_at_most(world):
    person, began_at = world.page.owner, world.clock()
    for days in (0, 76, 77, 90):
        sessions.begin(person, change_at(began_at + timedelta(days=days)))
    Session.update(seen_at=began_at + timedelta(days=90)).where(
        Session.created_at == began_at
    ).execute()

    assert prune(began_at + timedelta(days=90), HISTORY)["sessions"] == 0
    assert prune(began_at + timedelta(days=90, seconds=1), HISTORY)["sessions"] == 2
    assert Session.select().count() == 2


def test_more_rows_than_a_batch_are_deleted_in_small_transactions(world, monkeypatch):
    now = world.clock()
    UsedNonce.insert_many([{"token": str(n), "expires_at": now} for n in range(7)]).execute()
    deleted = []
    execute = type(db.obj).execute_sql

    def watch(database, sql, *arguments, **more):
        if sql.startswith('DELETE FROM "used_nonce"'):
            assert not database.in_transaction()
            deleted.append(sql)
        return execute(database, sql, *arguments, **more)

    monkeypatch.setattr(type(db.obj), "execute_sql", watch)

    assert prune(now, HISTORY)["used nonces"] == 7
    assert len(deleted) == 4


def test_nothing_else_is_deleted(world):
    world.submit(Visitor())
    world.track(Visitor().address)
    Job.create(name="listings", started_at=world.clock())
    counts = {model: model.select().count() for model in MODELS}

    assert summarize(prune(world.clock() + timedelta(days=9999), HISTORY)) == (
        "Nothing was old enough to be deleted."
    )
    assert {model: model.select().count() for model in MODELS} == counts


@pytest.mark.databases("sqlite")
def test_worker_and_command_delete_the_same(app, world):
    page = world.page_id
    Message.create(page=page, type="test", data="{}", created_at=world.clock())
    Listing.create(page=page, address="a", joined_at=world.clock(), left_at=world.clock())
    world.clock.forward(days=366)
    runtime = app.extensions[EXTENSION]
    (job,) = [one for one in list_jobs(runtime.settings) if one.name == "prune"]
    alive = []

    assert (
        job.run(runtime, lambda: alive.append(1))
        == "Deleted: messages (1), times on public lists (1)."
    )
    assert len(alive) == len(prune(world.clock(), HISTORY))
    assert app.test_cli_runner().invoke(args=["prune"]).stdout == (
        "Nothing was old enough to be deleted.\n"
    )
