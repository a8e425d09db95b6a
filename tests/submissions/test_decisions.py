"""The owner's decisions on single and on many submissions, by any actor."""

from functools import partial

import pytest
from many_submissions import add_submissions
from world import Visitor

from embed.db.models import Submission, Wallet
from embed.errors import InvalidInput, NotFound
from embed.events import activity_log
from embed.submissions import decisions
from embed.wallets import tracking

pytestmark = pytest.mark.databases("sqlite", "postgres")

ACTOR = "owner@example.com"
approve = partial(decisions.approve, max_wallets=50_000)


def status_of(submission_id: str) -> str:
    return Submission.get_by_id(submission_id).status


def change_many(world, change, *ids: str) -> decisions.Result:
    return decisions.change_many(world.page, ids, partial(change, now=world.clock(), actor=ACTOR))


def test_undone_approval_takes_its_wallet_off_the_page_again(world):
    (only,) = add_submissions(world, 1)
    approve(only, now=world.clock(), actor=ACTOR)
    version = world.page.version
    decisions.undo(only, world.clock(), actor=ACTOR)

    assert status_of(only) == "pending"
    assert not Wallet.select().exists()
    assert world.page.version > version


def test_undone_approval_leaves_a_wallet_that_was_tracked_before(world):
    visitor = Visitor()
    world.track(visitor.address, alias="Known")
    (only,) = add_submissions(world, 1, wallet_address=visitor.address)
    approve(only, now=world.clock(), actor=ACTOR)
    decisions.undo(only, world.clock(), actor=ACTOR)

    assert Wallet.get().public_alias == "Known"


def test_undone_approval_leaves_an_entry_that_the_owner_made_since(world):
    visitor = Visitor()
    (only,) = add_submissions(world, 1, wallet_address=visitor.address)
    approve(only, now=world.clock(), actor=ACTOR)
    tracking.remove_wallet(Wallet.get().id, world.clock())
    world.track(visitor.address, alias="Known")
    decisions.undo(only, world.clock(), actor=ACTOR)

    assert Wallet.get().public_alias == "Known"


def test_undone_approval_of_a_hidden_wallet_leaves_it_hidden_for_the_next(world):
    (only,) = add_submissions(world, 1, nickname="Ann")
    approve(only, now=world.clock(), actor=ACTOR)
    hidden = tracking.WalletChanges(is_hidden=True)
    tracking.update_wallet(Wallet.get().id, hidden, world.clock())
    decisions.undo(only, world.clock(), actor=ACTOR)
    assert (Wallet.get().submission_id, Wallet.get().public_alias) == (None, None)
    approve(only, now=world.clock(), actor=ACTOR)

    wallet = Wallet.get()
    assert (wallet.is_hidden, wallet.submission_id, wallet.public_alias) == (True, only, "Ann")


def test_undone_rejection_starts_no_cooldown(world):
    visitor = Visitor()
    (only,) = add_submissions(world, 1, wallet_address=visitor.address)
    decisions.reject(only, world.clock(), actor=ACTOR)
    decisions.undo(only, world.clock(), actor=ACTOR)
    Submission.delete().execute()

    assert world.submit(visitor).status_code == 201


@pytest.mark.parametrize("status", ["auto_approved", "soft_rejected", "pending"])
def test_only_decisions_by_hand_are_undone(world, status):
    (only,) = add_submissions(world, 1, status)

    with pytest.raises(InvalidInput, match="nothing to undo"):
        decisions.undo(only, world.clock(), actor=ACTOR)


def test_undo_ends_after_its_time(world):
    (only,) = add_submissions(world, 1)
    decisions.reject(only, world.clock(), actor=ACTOR)
    world.clock.now += decisions.UNDO_WITHIN
    decisions.undo(only, world.clock(), actor=ACTOR)
    decisions.reject(only, world.clock(), actor=ACTOR)
    world.clock.now += decisions.UNDO_WITHIN
    world.clock.forward(milliseconds=1)

    with pytest.raises(InvalidInput, match="too late"):
        decisions.undo(only, world.clock(), actor=ACTOR)


@pytest.mark.parametrize("status", ["approved", "auto_approved"])
def test_rejection_is_not_undone_when_the_wallet_is_live_again(world, status):
    visitor = Visitor()
    (only,) = add_submissions(world, 1, wallet_address=visitor.address)
    decisions.reject(only, world.clock(), actor=ACTOR)
    add_submissions(world, 1, status, wallet_address=visitor.address)

    with pytest.raises(InvalidInput, match="submitted again"):
        decisions.undo(only, world.clock(), actor=ACTOR)


def test_many_are_decided_and_the_others_named(world):
    decided, *waiting = add_submissions(world, 3)
    decisions.reject(decided, world.clock())
    result = change_many(world, approve, decided, *waiting)

    assert [one.id for one in result.decided] == waiting
    assert [one.submission.id for one in result.undecided] == [decided]
    assert "already rejected" in result.undecided[0].reason
    assert status_of(decided) == "rejected"


def test_refused_one_leaves_no_trace(world):
    (only,) = add_submissions(world, 1, "approved")
    before = world.dump()
    change_many(world, decisions.reject, only)

    assert world.dump() == before


def test_ids_of_another_page_change_nothing(world):
    (own,) = add_submissions(world, 1)
    (other,) = add_submissions(world, 1)
    Submission.update(page=world.make_page()).where(Submission.id == other).execute()

    with pytest.raises(NotFound):
        change_many(world, approve, own, other)
    assert status_of(own) == status_of(other) == "pending"


def test_every_decision_is_logged_with_its_actor(world):
    (only,) = add_submissions(world, 1, nickname="Alice")
    for change in (approve, decisions.undo, decisions.reject):
        world.clock.forward(seconds=1)
        change_many(world, change, only)

    log = activity_log.list_of_page(world.page_id, limit=3)
    assert [one.action for one in log] == [
        "reject submission",
        "undo decision",
        "approve submission",
    ]
    assert {one.actor for one in log} == {ACTOR}
    assert all(one.subject.startswith("Alice (") for one in log)
