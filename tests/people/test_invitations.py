"""Invitations: once, for one address, within a week, until they are revoked."""

from datetime import timedelta
from functools import partial

import pytest
from support.remote import race

from embed import pages
from embed.db.models import Invitation, Member, Page, Person
from embed.errors import InvalidInput, NotFound
from embed.people import accounts, invitations, members, passwords

on_both_databases = pytest.mark.databases("sqlite", "postgres")

ANN = "ann@example.com"
PASSWORD = "four words that nobody says"


@pytest.fixture
def invite(world, owner):
    """Invite someone, and return the token of the link."""

    def make(email: str = ANN, role: str = "reviewer") -> str:
        return invitations.invite(world.page_id, email, role, world.change("owner@example.com"))[1]

    return make


def list_roles(world) -> dict[str, str]:
    return {
        one.email: one.role
        for one in members.list_people(world.page, world.clock())
        if not one.invited_until
    }


@on_both_databases
def test_invitation_gives_what_it_says_once_and_is_not_in_the_database(world, ann, invite):
    token = invite()
    assert token not in repr(world.dump())

    invitations.accept(token, ann, world.change())

    assert list_roles(world)[ANN] == "reviewer"
    with pytest.raises(NotFound):
        invitations.accept(token, ann, world.change())


ENDS = {
    "revoked": lambda world: members.remove_person(
        world.page_id, f" {ANN.title()} ", world.change()
    ),
    "seven days": lambda world: world.clock.forward(days=7),
    "page deleted": lambda world: pages.delete_page(world.page_id, world.change()),
    "invited anew": lambda world: invitations.invite(world.page_id, ANN, "editor", world.change()),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_invitation_that_has_ended_gives_nothing(world, ann, invite, end):
    token = invite()
    end(world)

    with pytest.raises(NotFound):
        invitations.accept(token, ann, world.change())
    assert ANN not in list_roles(world)


def test_it_ends_after_seven_days_to_the_second(world, invite):
    token = invite()
    world.clock.forward(days=7)

    assert invitations.find_invitation(token, world.clock() - timedelta(seconds=1))
    assert invitations.prune(world.clock()) == 1


@pytest.mark.parametrize("role", ["viewer", "owner"])
def test_person_who_has_been_removed_accepts_nothing(world, ann, invite, role):
    """Their open tab may still send the form, at the moment of the removal."""
    token = invite(role=role)
    Person.delete().where(Person.id == ann.id).execute()

    with pytest.raises(InvalidInput, match="just been removed"):
        invitations.accept(token, ann, world.change())
    assert list_roles(world) == {"owner@example.com": "owner"}
    assert Invitation.select().count() == 1


def test_member_whose_invitation_to_take_the_page_is_revoked_stays(world, ann, invite):
    invitations.accept(invite(), ann, world.change())
    with pytest.raises(InvalidInput, match="already a member"):
        invite(role="editor")
    invite(role="owner")

    members.revoke_invitation(world.page_id, ANN, world.change())

    assert list_roles(world)[ANN] == "reviewer"
    assert Invitation.select().count() == 0
    with pytest.raises(InvalidInput, match="is no longer invited"):
        members.revoke_invitation(world.page_id, ANN, world.change())


def test_whoever_is_removed_cannot_come_back_by_an_invitation(world, ann, invite):
    invitations.accept(invite(), ann, world.change())
    token = invite(role="owner")

    members.remove_person(world.page_id, ANN, world.change())

    assert ANN not in list_roles(world)
    with pytest.raises(NotFound):
        invitations.accept(token, ann, world.change())


def test_another_person_cannot_accept(world, invite):
    bob = accounts.create_person("bob@example.com", world.clock())

    with pytest.raises(InvalidInput, match=ANN):
        invitations.accept(invite(), bob, world.change())
    assert Member.select().count() == 0


@pytest.mark.parametrize(
    ("email", "role"),
    [
        ("no address", "viewer"),
        ("owner@example.com", "viewer"),
        ("owner@localhost", "viewer"),
        (ANN, "admin"),
    ],
)
def test_bad_invitation_is_refused(world, owner, email, role):
    with pytest.raises(InvalidInput):
        invitations.invite(world.page_id, email, role, world.change())
    assert Invitation.select().count() == 0


@on_both_databases
def test_page_has_at_most_a_hundred_people(world, invite, monkeypatch):
    monkeypatch.setattr(invitations, "MAX_PEOPLE", 2)
    invite()
    invite("bob@example.com")

    with pytest.raises(InvalidInput, match="up to 2 people"):
        invite("eve@example.com")
    invite("bob@example.com", role="viewer")  # in place of the one before


def test_somebody_new_gets_an_account_that_creates_no_pages(world, invite):
    person = invitations.sign_up(invite(), PASSWORD, world.change(), host="localhost")

    assert person.email == ANN
    assert passwords.find_by_password(ANN, PASSWORD) == person
    assert Person.get_by_id(person.id).is_guest
    assert list_roles(world)[ANN] == "reviewer"


def test_weak_password_uses_nothing_up(world, invite):
    token = invite()

    with pytest.raises(InvalidInput, match="easy to guess"):
        invitations.sign_up(token, "USD Coin 2026", world.change(), host="localhost")
    assert not accounts.has_account(ANN)
    assert invitations.find_invitation(token, world.clock())


@on_both_databases
def test_address_that_another_account_takes_meanwhile_is_not_taken_over(world, invite):
    token = invite()
    taken = accounts.create_person(ANN, world.clock())

    with pytest.raises(InvalidInput, match="already an account"):
        invitations.sign_up(token, PASSWORD, world.change(), host="localhost")
    assert Person.get_by_id(taken.id).password_hash is None
    assert invitations.find_invitation(token, world.clock())  # for whoever has the account


@on_both_databases
@pytest.mark.parametrize("has_account", [True, False])
def test_of_two_who_accept_one_link_at_once_one_does(world, invite, has_account, monkeypatch):
    # Passwords are judged one at a time, so the requests would not meet in the database.
    monkeypatch.setattr(invitations, "judge_password", lambda *_: None)
    monkeypatch.setattr(invitations, "hash_password", lambda _: "a hash")
    token = invite()
    accept = partial(invitations.sign_up, token, PASSWORD, world.change(), host="localhost")
    if has_account:
        ann = accounts.create_person(ANN, world.clock())
        accept = partial(invitations.accept, token, ann, world.change())

    outcomes = race(*[accept] * 3)

    assert sum(one in ("NotFound", "InvalidInput") for one in outcomes) == 2
    assert Member.select().count() == 1
    assert Person.select().where(Person.email == ANN).count() == 1


# Handing over


@on_both_databases
@pytest.mark.parametrize("is_member", [False, True])
def test_page_is_handed_over_when_the_other_one_accepts(world, owner, ann, invite, is_member):
    if is_member:
        invitations.accept(invite(), ann, world.change())
    token = invite(role="owner")
    assert Page.get_by_id(world.page_id).owner == owner

    invitations.accept(token, ann, world.change())

    assert list_roles(world) == {ANN: "owner", "owner@example.com": "editor"}
    assert Member.select().count() == 1


@on_both_databases
@pytest.mark.parametrize("how", ["by another acceptance", "by the operator"])
def test_page_that_has_changed_hands_cannot_be_taken_by_an_earlier_link(
    world, owner, ann, invite, how
):
    token = invite(role="owner")
    bob = accounts.create_person("bob@example.com", world.clock())
    if how == "by the operator":
        pages.update_page(world.page_id, {"owner": bob}, world.change())
    else:
        invitations.accept(invite("bob@example.com", role="owner"), bob, world.change())

    with pytest.raises(NotFound):
        invitations.accept(token, ann, world.change())
    assert Page.get_by_id(world.page_id).owner == bob
