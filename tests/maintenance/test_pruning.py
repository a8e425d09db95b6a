"""What is deleted by itself, and what is not."""

from dataclasses import replace
from datetime import timedelta

import pytest
from support.chain_history import record_history
from support.many_submissions import add_submissions
from support.world import USDC, Visitor, another_wallet, change_at, with_session

from embed.db import batches
from embed.db.connection import db
from embed.db.models import (
    MODELS,
    Activity,
    ChainBalance,
    Job,
    Listing,
    Message,
    Proof,
    RefusalCount,
    Session,
    Submission,
)
from embed.domain.folding import fold_wallet
from embed.domain.reasons import parse_reason
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


@pytest.fixture(autouse=True)
def upgraded(world):
    """The database got its newest tables at the world's time."""
    applied = f"{world.clock().astimezone():%Y-%m-%d %H:%M:%S}"
    db.execute_sql(f"UPDATE schema_migration SET applied = '{applied}'")  # noqa: S608 -- a time


def test_balances_of_wallets_that_no_page_has_are_deleted_when_they_are_old(world):
    then = world.clock()
    tracked, removed, pending, other_mint, new = (Visitor().address for _ in range(5))
    world.track(tracked)
    world.track(other_mint)
    add_submissions(world, 1, wallet_address=pending)
    add_submissions(world, 1, "rejected", wallet_address=removed)
    for address in (tracked, removed, pending):
        record_history(USDC, address, then, "5", {timedelta(): "5"})
    record_history("another", other_mint, then, "5", {})
    record_history(USDC, new, then + timedelta(days=1), "5", {})

    pruned = prune(then + HISTORY, world.settings)
    assert pruned["balances of wallets that no page has"] == 0
    pruned = prune(then + HISTORY + timedelta(seconds=1), world.settings)

    assert pruned["balances of wallets that no page has"] == 2
    assert {row.address for row in ChainBalance.select()} == {tracked, pending, new}


def test_refusals_by_policy_are_deleted_after_30_days_and_no_other_submission(world):
    statuses = ("pending", "approved", "rejected", "soft_rejected", "soft_rejected")
    for status in statuses:
        add_submissions(world, 3, status)

    world.clock.forward(days=29, hours=23)
    assert prune(world.clock(), world.settings)["refusals by policy"] == 0
    world.clock.forward(hours=2)
    assert prune(world.clock(), world.settings)["refusals by policy"] == 6

    kept = [submission.status for submission in Submission.select()]
    assert sorted(kept) == sorted([*statuses[:3]] * 3)


def test_counted_refusals_are_deleted_once_their_day_is_30_days_ago(world):
    today = count_days(world.clock())
    for days in range(40):
        about = {"page": world.page, "day": today - days, "reason": "ca_gate", "count": 2}
        RefusalCount.create(**about)

    assert prune(world.clock(), world.settings)["refusals by policy"] == 9
    assert read_counts_without_session(world.page) == {"ca_gate": 62}


def test_rejections_lose_names_texts_and_sessions_after_a_year(world):
    world.configure(cooldown_s=0)
    sent = {}
    for name in ("Withdrawn", "Old", "Pending", "Approved"):
        visitor = with_session(world)
        sent[name] = world.submit(visitor, name).json["submissionId"]
    for name in ("Withdrawn", "Old"):
        world.reject(sent[name], reason=parse_reason("Please add a number."))
    world.approve(sent["Approved"])
    Submission.update(nickname="").where(Submission.id == sent["Withdrawn"]).execute()
    before = {one.id: one for one in Submission.select()}
    world.clock.forward(days=365)
    assert prune(world.clock(), world.settings)["details of rejections"] == 0
    world.clock.forward(seconds=1)

    assert prune(world.clock(), world.settings)["details of rejections"] == 2
    assert prune(world.clock(), world.settings)["details of rejections"] == 0

    kept = Submission.get_by_id(sent["Old"])
    assert (kept.nickname, kept.session_id, kept.reason_text) == ("", None, None)
    assert kept.folded == fold_wallet(None, kept.wallet_address)
    for name in ("wallet_address", "page_id", "created_at", "decided_at", "reject_reason"):
        assert getattr(kept, name) == getattr(before[kept.id], name)
    assert {one.submission_id for one in Proof.select()} == {sent["Pending"], sent["Approved"]}
    for name in ("Pending", "Approved"):
        assert Submission.get_by_id(sent[name]).__data__ == before[sent[name]].__data__


def test_activity_logs_go_back_as_far_as_rejections(world):
    world.reject(world.submit(Visitor()).json["submissionId"])
    kept = Activity.select().count()
    world.clock.forward(days=365, seconds=1)
    world.reject(world.submit(Visitor()).json["submissionId"])

    assert prune(world.clock(), world.settings)["entries of activity logs"] == kept
    assert {one.created_at for one in Activity.select()} == {world.clock()}


def test_nothing_of_rejections_is_erased_right_after_the_upgrade_or_if_they_are_kept(world):
    add_submissions(world, 3, "rejected", decided_at=world.clock() - timedelta(days=999))
    kept = world.dump()

    world.clock.forward(days=29, hours=23)
    assert "details of rejections" not in prune(world.clock(), world.settings)
    world.clock.forward(hours=1)
    for_ever = replace(world.settings, rejected_kept=None)
    assert "details of rejections" not in prune(world.clock(), for_ever)
    assert world.dump() == kept
    assert prune(world.clock(), world.settings)["details of rejections"] == 3


def test_erased_rejection_still_outweighs_its_sessions_earlier_approvals(world):
    settings = replace(world.settings, rejected_kept=timedelta(days=1))
    world.clock.forward(days=31)
    regular = with_session(world)

    def submit() -> tuple[str, str]:
        answer = world.submit(another_wallet(regular))
        return answer.json["submissionId"], answer.json["status"]

    for decide in (world.approve, world.approve, world.reject):
        decide(submit()[0])
    world.configure(trust_after=2)
    world.clock.forward(days=2)
    assert prune(world.clock(), settings)["details of rejections"] == 1

    for _ in range(2):
        submission_id, status = submit()
        assert status == "pending"
        world.approve(submission_id)
    assert submit()[1] == "auto_approved"


def test_sessions_are_deleted_after_14_days_without_a_visit_and_90_at_most(world):
    person, began_at = world.page.owner, world.clock()
    for days in (0, 76, 77, 90):
        sessions.begin(person, change_at(began_at + timedelta(days=days)))
    Session.update(seen_at=began_at + timedelta(days=90)).where(
        Session.created_at == began_at
    ).execute()

    assert prune(began_at + timedelta(days=90), world.settings)["sessions"] == 0
    assert prune(began_at + timedelta(days=90, seconds=1), world.settings)["sessions"] == 2
    assert Session.select().count() == 2


def test_nothing_else_is_deleted(world):
    world.submit(Visitor())
    world.track(Visitor().address)
    Activity.delete().execute()
    Job.create(name="listings", started_at=world.clock())
    counts = {model: model.select().count() for model in MODELS}

    assert summarize(prune(world.clock() + timedelta(days=9999), world.settings)) == (
        "Nothing was old enough to be deleted."
    )
    assert {model: model.select().count() for model in MODELS} == counts


@pytest.mark.databases("sqlite")
def test_worker_and_command_delete_the_same(app, world):
    page = world.page_id
    Activity.delete().execute()
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
    assert len(alive) == len(prune(world.clock(), world.settings))
    assert app.test_cli_runner().invoke(args=["prune"]).stdout == (
        "Nothing was old enough to be deleted.\n"
    )
