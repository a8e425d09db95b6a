"""The owner's decisions on single and on many submissions, by any actor."""

import json

import pytest
from support.many_submissions import add_submissions
from support.world import Visitor

from embed.db.models import Activity, Delivery, Message, Submission, Wallet, Withdrawal
from embed.domain.reasons import Reason
from embed.errors import InvalidInput, NotFound
from embed.people import accounts
from embed.submissions import decisions
from embed.wallets import tracking

pytestmark = pytest.mark.databases("sqlite", "postgres")

ACTOR = "owner@example.com"


def status_of(submission_id: str) -> str:
    return Submission.get_by_id(submission_id).status


def change_many(world, change, *ids: str) -> decisions.Result:
    return change(world.page, ids, world.change(ACTOR))


def test_undone_approval_takes_its_wallet_off_the_page_again(world):
    (only,) = add_submissions(world, 1)
    world.approve(only)
    version = world.page.version
    world.undo(only)

    assert status_of(only) == "pending"
    assert not Wallet.select().exists()
    assert world.page.version > version


def test_undone_rejection_has_no_reason_any_more(world):
    (only,) = add_submissions(world, 1)
    world.reject(only, reason=Reason(text="Ask me first."))
    assert Submission.get().reason_text == "Ask me first."
    world.undo(only)

    assert (Submission.get().reason_code, Submission.get().reason_text) == (None, None)


def test_undone_approval_leaves_an_entry_that_the_owner_made_since(world):
    visitor = Visitor()
    (only,) = add_submissions(world, 1, wallet_address=visitor.address)
    world.approve(only)
    tracking.remove_wallet(Wallet.get().id, world.change())
    world.track(visitor.address, alias="Known")
    world.undo(only)

    assert Wallet.get().public_alias == "Known"


def test_only_decisions_by_hand_are_undone(world):
    (only,) = add_submissions(world, 1, "auto_approved")

    with pytest.raises(InvalidInput, match="nothing to undo"):
        world.undo(only)


def test_undo_ends_after_its_time(world):
    (only,) = add_submissions(world, 1)
    world.reject(only)
    world.clock.now += decisions.UNDO_WITHIN
    world.undo(only)
    world.reject(only)
    world.clock.now += decisions.UNDO_WITHIN
    world.clock.forward(milliseconds=1)

    with pytest.raises(InvalidInput, match="too late"):
        world.undo(only)


def test_rejection_is_not_undone_when_the_wallet_is_live_again(world):
    visitor = Visitor()
    (only,) = add_submissions(world, 1, wallet_address=visitor.address)
    world.reject(only)
    add_submissions(world, 1, "auto_approved", wallet_address=visitor.address)

    with pytest.raises(InvalidInput, match="submitted again"):
        world.undo(only)


@pytest.mark.parametrize("first", [decisions.approve, decisions.reject], ids=["approve", "reject"])
def test_many_decisions_are_one_change_of_which_each_is_told(world, webhook, first):
    many = add_submissions(world, 20)
    for change in (first, decisions.undo):
        version = world.page.version
        Message.delete().execute()

        change_many(world, change, *many)

        assert world.page.version == version + 1
        messages = Message.select().order_by(Message.number)
        assert [json.loads(message.data)["id"] for message in messages] == many
        assert Delivery.select().count() == 20
    assert Activity.select().where(Activity.actor == ACTOR).count() == 40


def test_approval_of_many_fills_the_page_in_their_order(world):
    tracked = Visitor()
    world.track(tracked.address)
    known = add_submissions(world, 1, wallet_address=tracked.address)
    (rejected,) = add_submissions(world, 1)
    world.reject(rejected)
    ids = [*add_submissions(world, 3), *known, rejected, "0" * 20]
    Withdrawal.create(submission_id=ids[-1], page=world.page, withdrawn_at=world.clock())

    result = decisions.approve(world.page, ids, world.change(ACTOR, max_wallets=3))

    assert [one.id for one in result.decided] == [*ids[:2], *known]
    reasons = {one.submission.id: str(one.reason) for one in result.undecided}
    assert reasons.keys() == {ids[2], rejected}
    assert "at most 3 wallets" in reasons[ids[2]]
    assert "already rejected" in reasons[rejected]
    assert result.withdrawn == ["0" * 20]
    assert (status_of(ids[2]), status_of(rejected)) == ("pending", "rejected")
    assert Wallet.select().count() == 3


def test_of_one_wallets_rejections_only_the_first_is_undone(world):
    visitor = Visitor()
    ids = add_submissions(world, 2, "rejected", wallet_address=visitor.address)
    Submission.update(decided_at=world.clock()).execute()

    result = change_many(world, decisions.undo, *ids)

    assert [one.id for one in result.decided] == ids[:1]
    assert "submitted again" in str(result.undecided[0].reason)


def test_queue_that_many_undone_decisions_fill_is_told_where_it_did(world, webhook):
    world.configure(queue_capacity=5)
    ids = add_submissions(world, 5)
    change_many(world, decisions.reject, *ids)
    Message.delete().execute()

    change_many(world, decisions.undo, *ids)

    types = [message.type for message in Message.select().order_by(Message.number)]
    assert types == ["submission.decided"] * 4 + ["queue.filling", "submission.decided"]
    assert '"pending":4,' in Message.get(Message.type == "queue.filling").data


def test_hidden_wallets_that_were_withdrawn_become_those_of_several_approvals(world):
    ids = add_submissions(world, 3)
    change_many(world, decisions.approve, *ids)
    Wallet.update(is_hidden=True).where(Wallet.submission != ids[0]).execute()
    change_many(world, decisions.undo, *ids)
    assert [(one.is_withdrawn, one.public_alias) for one in Wallet.select()] == [(True, None)] * 2

    change_many(world, decisions.approve, *ids)

    assert sorted((one.submission_id, one.public_alias) for one in Wallet.select()) == sorted(
        (one.id, one.nickname) for one in Submission.select()
    )


@pytest.mark.parametrize("change", [decisions.approve, decisions.reject, decisions.undo])
def test_page_that_was_handed_over_meanwhile_is_not_changed(world, change):
    (only,) = add_submissions(world, 1)
    page = world.page
    world.configure(owner=accounts.create_person("next@example.com", world.clock()))

    with pytest.raises(NotFound, match="another owner"):
        change(page, [only], world.change(ACTOR))


def test_ids_of_another_page_change_nothing(world):
    (own,) = add_submissions(world, 1)
    (other,) = add_submissions(world, 1)
    Submission.update(page=world.make_page()).where(Submission.id == other).execute()

    with pytest.raises(NotFound):
        change_many(world, decisions.approve, own, other)
    assert status_of(own) == status_of(other) == "pending"
