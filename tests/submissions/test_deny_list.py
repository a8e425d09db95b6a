"""Deny lists: what they keep out, what visitors are told, and how rejections fill them."""

from functools import partial

import pytest
from support.many_submissions import add_submissions
from support.remote import race
from support.world import Visitor, another_wallet, code_of, read_log, with_session

from embed.db.models import AccountEvent, Block, Submission
from embed.errors import InvalidInput
from embed.people import accounts
from embed.submissions import decisions, deny_list
from embed.submissions.deny_list import (
    block_for_person,
    block_on_page,
    list_of_page,
    list_of_person,
    remove_block,
)

on_both_databases = pytest.mark.databases("sqlite", "postgres")

ACTOR = "reviewer@example.com"
CLIENT, NEIGHBOUR, ELSEWHERE = "203.0.113.7", "203.0.113.8", "198.51.100.7"


def block(world, kind: str, pattern: str) -> Block:
    return block_on_page(world.page_id, kind, pattern, world.change(ACTOR))


def block_everywhere(world, kind: str, pattern: str) -> Block:
    return block_for_person(world.page.owner, kind, pattern, world.change())


def at(client: str) -> dict:
    return {"environ_base": {"REMOTE_ADDR": client}}


def patterns_of(blocks: list[Block]) -> list[str]:
    return [one.pattern for one in blocks]


def list_own(world, visitor) -> list[tuple[str, str | None]]:
    submissions = world.list_own(visitor).json["submissions"]
    return [(one["status"], one["rejectReason"]) for one in submissions]


# What is kept out

KEPT_OUT = {
    "wallet": lambda visitor: ("wallet", visitor.address),
    "name": lambda visitor: ("name", "vi?it*"),
    "network": lambda visitor: ("network", CLIENT),
}
each_kind = pytest.mark.parametrize("kind", KEPT_OUT)
each_scope = pytest.mark.parametrize("block_it", [block, block_everywhere])


@each_kind
@each_scope
def test_blocked_submission_is_refused_alike_whatever_was_blocked(world, kind, block_it):
    visitor = with_session(world)
    made = block_it(world, *KEPT_OUT[kind](visitor))

    answer = world.submit(visitor, "Visitor", **at(CLIENT))

    assert (answer.status_code, answer.json) == (403, {"error": "not_accepted"})
    assert list_own(world, visitor) == [("soft_rejected", "manual")]
    assert not Submission.select().where(Submission.status != "soft_rejected").exists()
    remove_block(made.id, world.change())
    assert code_of(world.submit(visitor, "Visitor", **at(CLIENT))) is None


@each_kind
def test_auto_approval_and_trust_lead_past_no_deny_list(world, kind):
    visitor = with_session(world)
    world.configure(trust_after=1, auto_approve=True)
    world.submit(another_wallet(visitor), "Ann", **at(ELSEWHERE))
    block(world, *KEPT_OUT[kind](visitor))

    assert code_of(world.submit(visitor, "Visitor", **at(CLIENT))) == "not_accepted"


# Networks


@on_both_databases
@pytest.mark.parametrize(
    ("pattern", "client", "code"),
    [
        ("203.0.113.0/24", NEIGHBOUR, "not_accepted"),
        ("203.0.113.7", NEIGHBOUR, None),
        ("203.0.113.0/24", "unix:", None),
        ("2001:db8::1", "2001:db8::ffff:1", "not_accepted"),  # of the same /64
    ],
)
def test_network_keeps_out_the_clients_in_it(world, pattern, client, code):
    block(world, "network", pattern)

    assert code_of(world.submit(Visitor(), **at(client))) == code


def test_network_says_nothing_about_the_visitors_of_a_server(world):
    block(world, "network", CLIENT)

    key = world.secret_key
    draft = world.draft(Visitor(), key=key)
    assert code_of(world.post(draft, key=key, **at(CLIENT))) is None
    block(world, "name", "visitor")
    draft = world.draft(Visitor(), key=key)
    assert code_of(world.post(draft, key=key, **at(CLIENT))) == "not_accepted"


# Whose pages


def test_owners_list_is_for_all_their_pages_and_nobody_elses(world):
    owner, other = world.page.owner, accounts.create_person("other@example.com", world.clock())
    block_for_person(owner, "name", "visitor", world.change())
    block_for_person(other, "name", "ann", world.change())

    assert code_of(world.submit(Visitor())) == "not_accepted"
    assert code_of(world.submit(Visitor(), "Ann")) is None
    world.page_id = world.make_page(owner=owner)
    world.public_key = world.make_key("public", origins=["https://site.example"])
    assert code_of(world.submit(Visitor())) == "not_accepted"


def test_page_that_is_handed_over_takes_its_own_list_along(world):
    block(world, "name", "page*")
    block_everywhere(world, "name", "owner*")
    other = accounts.create_person("other@example.com", world.clock())
    block_for_person(other, "name", "other*", world.change())

    world.configure(owner=other)

    assert code_of(world.submit(Visitor(), "Page")) == "not_accepted"
    assert code_of(world.submit(Visitor(), "Owner")) is None
    assert code_of(world.submit(Visitor(), "Other")) == "not_accepted"


# Entries


@on_both_databases
@each_scope
def test_same_entry_is_kept_once_for_each_scope(world, block_it):
    other = world.make_page()
    block_on_page(other, "name", "scam*", world.change())
    block_it(world, "name", " Scam** ")

    with pytest.raises(InvalidInput, match=r"scam\* is already blocked"):
        block_it(world, "name", "scam*")
    block_it(world, "name", "scam")
    assert Block.select().count() == 3


@on_both_databases
@each_scope
def test_list_has_a_bound(world, monkeypatch, block_it):
    monkeypatch.setattr(deny_list, "MAX_BLOCKS", 2)
    block_it(world, "name", "a")
    block_it(world, "name", "b")

    with pytest.raises(InvalidInput, match="at most 2 entries"):
        block_it(world, "name", "c")
    assert code_of(world.submit(Visitor(), "C")) is None


def test_changes_of_a_page_are_in_its_log_without_whole_addresses(world):
    address = Visitor().address
    for kind, pattern in (("wallet", address), ("name", "bot*"), ("network", CLIENT)):
        world.clock.forward(seconds=1)
        block(world, kind, pattern)
    remove_block(list_of_page(world.page)[0].id, world.change(ACTOR))

    short = f"{address[:4]}…{address[-4:]}"
    logged = [(one.action, one.subject) for one in read_log(world.page_id)]
    assert ("remove block", f"network {CLIENT}/32") in logged
    assert ("add block", "name bot*") in logged
    assert ("add block", f"wallet {short}") in logged


def test_changes_of_an_owners_list_are_in_the_log_of_the_account(world):
    address = Visitor().address
    made = block_everywhere(world, "wallet", address)
    remove_block(made.id, world.change())

    events = AccountEvent.select().order_by(AccountEvent.created_at)
    assert sorted(one.kind for one in events) == ["block added", "block removed"]
    assert not any(address in one.data for one in events)
    assert list_of_person(world.page.owner) == []


# Reject and block, and undo


def reject_and_block(world, *ids: str) -> decisions.Result:
    return decisions.reject(world.page, ids, world.change(ACTOR), blocks=True)


def undo(world, *ids: str) -> decisions.Result:
    return decisions.undo(world.page, ids, world.change(ACTOR))


@on_both_databases
def test_undo_removes_what_the_rejection_blocked_and_nothing_else(world):
    known, other = Visitor(), Visitor()
    ids = [world.submit(one).json["submissionId"] for one in (known, other)]
    block(world, "wallet", known.address)
    world.clock.forward(seconds=1)

    reject_and_block(world, *ids)
    assert set(patterns_of(list_of_page(world.page))) == {known.address, other.address}
    assert {one.status for one in Submission.select()} == {"rejected"}
    assert {one.created_by for one in Block.select()} == {ACTOR}
    undo(world, *ids)

    assert patterns_of(list_of_page(world.page)) == [known.address]
    actions = [one.action for one in read_log(world.page_id)]
    assert (actions.count("add block"), actions.count("remove block")) == (2, 1)


def test_selection_that_the_list_has_no_room_for_is_left_as_it_was(world, monkeypatch):
    ids = add_submissions(world, 3)
    monkeypatch.setattr(deny_list, "MAX_BLOCKS", 2)

    with pytest.raises(InvalidInput, match="at most 2 entries"):
        reject_and_block(world, *ids)

    assert {one.status for one in Submission.select()} == {"pending"}
    reject_and_block(world, *ids[:2])
    assert Block.select().count() == 2


# At the same moment


@on_both_databases
def test_what_races_with_a_block_is_stored_or_refused(world_with):
    world = world_with(LIMIT_IP_SUBMISSIONS="1000/minute")
    drafts = [world.draft(Visitor(), f"Bot {number}") for number in range(20)]

    *answers, made = race(
        *[partial(world.post, draft) for draft in drafts], partial(block, world, "name", "bot*")
    )

    assert isinstance(made, Block)
    codes = [code_of(one) for one in answers]
    assert set(codes) <= {None, "not_accepted"}
    assert Submission.select().count() == codes.count(None)
    assert code_of(world.submit(Visitor(), "Bot 20")) == "not_accepted"


@on_both_databases
@each_scope
def test_two_who_add_or_remove_the_same_at_once_do_it_once(world, block_it):
    added = race(*[partial(block_it, world, "name", "scam*")] * 4)
    (made,) = [one for one in added if isinstance(one, Block)]
    assert Block.select().count() == 1

    removed = race(*[partial(remove_block, made.id, change=world.change())] * 4)

    assert sum(isinstance(one, Block) for one in removed) == 1
    removals = [one for one in read_log(world.page_id) if one.action == "remove block"]
    events = AccountEvent.select().where(AccountEvent.kind == "block removed").count()
    assert len(removals) + events == 1
