"""Withdrawing a wallet: what is erased, what stays, and what the owner sees."""

import pytest
from support.world import Visitor, code_of, read_log, with_session

from embed.db import used_nonces
from embed.db.models import Delivery, Listing, Message, Proof, Submission, Wallet, Withdrawal
from embed.errors import InvalidInput, NotFound
from embed.maintenance.wallet_erasure import erase_wallet
from embed.wallets import tracking
from embed.wallets.bulk import change_wallets
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import read_table
from embed.wallets.imports import apply_import
from embed.wallets.listings import update_listings

pytestmark = pytest.mark.databases("sqlite", "postgres")

NAME = "Ann of Arc"


@pytest.fixture
def visitor(world) -> Visitor:
    return with_session(world)


def submit(world, visitor, status="pending", name=NAME) -> str:
    """Submit the wallet a minute later, and bring the submission to a status."""
    world.clock.forward(minutes=1)
    world.configure(auto_approve=status == "auto_approved", cooldown_s=0)
    answer = world.submit(visitor, name)
    assert code_of(answer) is None
    submission_id = answer.json["submissionId"]
    world.clock.forward(minutes=1)
    if status == "approved":
        world.approve(submission_id)
    if status == "rejected":
        world.reject(submission_id)
    return submission_id


def withdraw(world, visitor) -> dict:
    world.clock.forward(minutes=1)
    answer = world.withdraw(visitor)
    assert code_of(answer) is None
    return answer.json


def erase_by_command(world, visitor) -> None:
    world.clock.forward(minutes=1)
    erase_wallet(visitor.address, world.change())


def outcome(withdrawn: int, *, left: bool = False, stays: bool = False) -> dict:
    return {"withdrawnSubmissions": withdrawn, "leftList": left, "staysListed": stays}


def list_public(world) -> list[str]:
    return [one["address"] for one in world.read().json["wallets"]]


def find_in_database(world, *texts: str) -> list[str]:
    """Return the tables in which a text is found."""
    return [
        table
        for table, rows in world.dump().items()
        if any(t in row for t in texts for row in rows)
    ]


# What is erased


@pytest.mark.parametrize("status", ["pending", "approved", "auto_approved"])
def test_nothing_that_names_the_wallet_is_left(world, visitor, webhook, status):
    submit(world, visitor, status)
    update_listings(world.clock())
    assert "submission" in find_in_database(world, visitor.address)

    told = withdraw(world, visitor)

    assert told == outcome(1, left=status != "pending")
    assert find_in_database(world, visitor.address, NAME) == []
    assert list_public(world) == []
    entry = read_log(world.page_id)[0]
    assert (entry.actor, entry.action) == ("visitor", "withdraw submission")


def test_every_trace_of_a_long_story_is_erased(world, visitor, webhook):
    submit(world, visitor, "rejected")
    submission_id = submit(world, visitor)
    for change in (world.approve, world.undo, world.approve):
        change(submission_id, actor="owner@example.com")
    wallet = Wallet.get()
    for changes in ({"alias": "Ann, renamed"}, {"is_hidden": True}, {"is_hidden": False}):
        world.clock.forward(minutes=1)
        tracking.update_wallet(wallet.id, tracking.WalletFields(**changes), world.change())
        update_listings(world.clock())
    world.submit(visitor, NAME)  # a duplicate, which is soft-rejected
    assert Message.select().count() == 6
    assert Listing.select().count() == 2

    told = withdraw(world, visitor)

    assert told == outcome(3, left=True)
    assert find_in_database(world, NAME, "Ann, renamed") == []
    assert find_in_database(world, visitor.address) == ["submission"]  # the rejection


def test_wallet_of_which_nothing_is_kept_can_be_withdrawn_too(world):
    before = world.dump()

    assert withdraw(world, Visitor()) == outcome(0)
    after = world.dump()
    assert after.pop("used_nonce") != before.pop("used_nonce")
    assert after == before


def test_others_keep_everything(world, visitor, webhook):
    other = Visitor()
    elsewhere = world.make_page()
    world.track(visitor.address, page_id=elsewhere, alias="Elsewhere")
    for each in (visitor, other):
        submit(world, each, "approved")

    withdraw(world, visitor)

    assert {one.public_alias for one in Wallet.select()} == {NAME, "Elsewhere"}
    assert f"{NAME} ({other.address})" in [one.subject for one in read_log(world.page_id)]
    assert f"Elsewhere ({visitor.address})" in [one.subject for one in read_log(elsewhere)]
    told = [one.type for one in Message.select().order_by(Message.number)]
    assert told == ["submission.created", "submission.decided", "submission.withdrawn"]
    assert Delivery.select().count() == 3


# What stays


@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_owners_own_entry_stays_as_it_is(world, visitor, webhook, status):
    world.add_tag("whale")
    world.track(visitor.address, alias="Known", tag_names=["whale"])
    before = world.read().json
    submit(world, visitor, status)
    update_listings(world.clock())

    assert withdraw(world, visitor) == outcome(1, stays=True)
    assert world.read().json == before
    assert Listing.get().name == "Known"
    entries = {one.action: one.subject for one in read_log(world.page_id)}
    assert entries["add wallet"] == f"Known ({visitor.address})"
    assert find_in_database(world, NAME) == []
    assert '"leftList":false' in Message.get(Message.type == "submission.withdrawn").data


def test_entry_that_the_owner_made_anew_after_an_approval_stays(world, visitor):
    submit(world, visitor, "approved")
    update_listings(world.clock())
    tracking.remove_wallet(Wallet.get().id, world.change())
    world.clock.forward(minutes=1)
    world.track(visitor.address, alias="Known")
    update_listings(world.clock())

    assert withdraw(world, visitor) == outcome(1, stays=True)
    assert [one.name for one in Listing.select()] == ["Known"]
    assert find_in_database(world, NAME) == []
    entries = {one.action: one.subject for one in read_log(world.page_id)}
    assert entries["add wallet"] == f"Known ({visitor.address})"
    assert entries["remove wallet"] == "withdrawn by the wallet's holder"


def test_rejection_stays_without_name_and_proof_so_that_its_cooldown_holds(world, visitor):
    submission_id = submit(world, visitor, "rejected")
    world.configure(cooldown_s=3_600)

    assert withdraw(world, visitor) == outcome(1)
    kept = Submission.get()
    assert (kept.id, kept.nickname, kept.status) == (submission_id, "", "rejected")
    assert not Proof.select().exists()
    assert find_in_database(world, NAME) == []
    withdrawn_at = Withdrawal.get().withdrawn_at
    assert withdraw(world, visitor) == outcome(0)
    assert Withdrawal.get().withdrawn_at == withdrawn_at
    assert code_of(world.submit(visitor)) == "cooldown_active"
    with pytest.raises(InvalidInput, match="holder withdrew it"):
        world.undo(submission_id)


def show(world, visitor, **changes) -> None:
    """Let the owner hide the visitor's wallet, or show it."""
    wallet = Wallet.get(Wallet.address == visitor.address)
    tracking.update_wallet(wallet.id, tracking.WalletFields(**changes), world.change())


def test_hidden_wallet_that_is_withdrawn_and_sent_again_is_the_new_submissions(world, visitor):
    submit(world, visitor, "auto_approved")
    show(world, visitor, is_hidden=True)
    assert withdraw(world, visitor) == outcome(1, left=True)
    assert withdraw(world, visitor) == outcome(0)
    later = submit(world, visitor, "auto_approved", name="Ann again")
    assert (Wallet.get().submission_id, Wallet.get().is_withdrawn) == (later, False)
    show(world, visitor, is_hidden=False)

    assert [one["publicAlias"] for one in world.read().json["wallets"]] == ["Ann again"]
    assert world.show_records(visitor).json["listed"]["addedBy"] == "submission"
    assert withdraw(world, visitor) == outcome(1, left=True)
    assert list_public(world) == []


def test_wallet_that_the_owner_shows_after_its_withdrawal_leaves_again(world, visitor):
    submit(world, visitor, "approved")
    show(world, visitor, is_hidden=True)
    withdraw(world, visitor)
    show(world, visitor, is_hidden=False, alias="Ann, again")
    assert list_public(world) == [visitor.address]

    assert withdraw(world, visitor) == outcome(0, left=True)
    assert list_public(world) == []
    assert find_in_database(world, visitor.address, "Ann, again") == []
    entry = read_log(world.page_id)[0]
    assert (entry.actor, entry.action) == ("visitor", "erase wallet")


def test_owners_edits_do_not_make_a_wallet_theirs(world, visitor):
    submission_id = submit(world, visitor, "approved")
    wallet, tag = Wallet.get(), world.add_tag("whale")
    change = world.change("owner@example.com")
    for action in ("hide", "show", "tag"):
        change_wallets(world.page_id, [wallet.id], action, change, tag=tag)
    table = parse_table(read_table(f"{visitor.address},The owner's name", max_wallets=2))
    apply_import(world.page_id, table, change, makes_tags=False, balances=world.balances)

    assert Wallet.get().submission_id == submission_id
    assert Wallet.get().public_alias == "The owner's name"
    assert withdraw(world, visitor) == outcome(1, left=True)


def test_what_is_sent_after_the_message_was_issued_is_left_alone(world, visitor, webhook):
    submit(world, visitor, "rejected")
    world.clock.forward(minutes=1)
    held_back = world.sign_for_records(visitor, "withdraw")
    later = submit(world, visitor, "approved", name="Ann again")

    answer = world.post_for_records("withdraw", held_back)

    assert answer.json == outcome(1, stays=True)
    assert Submission.get_by_id(later).nickname == "Ann again"
    assert list_public(world) == [visitor.address]
    assert find_in_database(world, NAME) == []
    subjects = [one.subject for one in read_log(world.page_id)]
    assert f"Ann again ({visitor.address})" in subjects
    assert Message.select().where(Message.data.contains("Ann again")).count() == 2


# The nonce and the receipt


@pytest.mark.parametrize("status", ["pending", "rejected"])
def test_nonce_of_a_withdrawn_submission_stays_used(world, visitor, status):
    world.configure(cooldown_s=0)
    draft = world.draft(visitor)
    submission_id = world.post(draft, cookie=visitor.cookie).json["submissionId"]
    if status == "rejected":
        world.reject(submission_id)
    withdraw(world, visitor)

    assert code_of(world.post(draft)) == "invalid_nonce"
    used_nonces.prune(world.clock())
    assert code_of(world.post(draft)) == "invalid_nonce"


@pytest.mark.parametrize("has_session", [True, False])
@pytest.mark.parametrize("erase", [withdraw, erase_by_command])
def test_signature_that_was_refused_ends_with_the_withdrawal(world, visitor, erase, has_session):
    if not has_session:
        visitor = Visitor()
    submit(world, visitor, "approved")
    world.configure(queue_capacity=0)
    refused = world.draft(visitor, nickname="Ann again")
    assert code_of(world.post(refused, cookie=visitor.cookie)) == "queue_full"

    erase(world, visitor)

    world.configure(queue_capacity=100)
    assert code_of(world.post(refused, cookie=visitor.cookie)) == "invalid_nonce"
    assert find_in_database(world, visitor.address, "Ann again") == []
    assert code_of(world.submit(Visitor())) is None
    assert code_of(world.submit(visitor)) is None


# What the owner sees


def test_soft_rejections_are_withdrawn_without_a_word(world, visitor, webhook):
    world.configure(queue_capacity=0)
    assert code_of(world.submit(visitor, NAME)) == "queue_full"
    before = read_log(world.page_id)

    assert withdraw(world, visitor) == outcome(1)
    assert not Submission.select().exists()
    assert read_log(world.page_id) == before
    assert not Message.select().exists()
    assert not Withdrawal.select().exists()


@pytest.mark.parametrize("decide", ["approve", "reject", "undo"])
def test_decision_on_a_withdrawn_submission_says_that_it_was_withdrawn(world, visitor, decide):
    submission_id = submit(world, visitor, "approved" if decide == "undo" else "pending")
    world.withdraw(visitor)

    with pytest.raises(NotFound, match=f"holder has withdrawn the submission {submission_id}"):
        getattr(world, decide)(submission_id)
