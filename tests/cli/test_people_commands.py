"""``flask people``, and accounts that came by an invitation."""

import pytest

from embed.people import invitations

pytestmark = pytest.mark.slow

ANN = "ann@example.com"


def sign_up(world, token: str) -> None:
    invitations.sign_up(token, "four words that nobody says", world.change(), host="localhost")


def test_people_of_a_page_are_invited_listed_changed_and_removed(world, operator):
    made = operator.show("people", "invite", world.page_id, "Ann@Example.com", "--role", "reviewer")
    assert set(made) == {"id", "email", "role", "url"}
    assert operator.show("people", "list", world.page_id) == [
        {"email": "owner@localhost", "role": "owner", "status": "member"},
        {"email": ANN, "role": "reviewer", "status": "invited"},
    ]

    sign_up(world, made["url"].rpartition("/")[2])
    member = {"email": ANN, "role": "reviewer", "status": "member"}
    assert operator.show("people", "list", world.page_id)[1] == member
    changed = operator.show("people", "role", world.page_id, ANN, "viewer")
    assert changed == {"email": ANN, "role": "viewer"}
    assert operator.show("people", "remove", world.page_id, ANN) == {"email": ANN}
    assert len(operator.show("people", "list", world.page_id)) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("invite {page} address --role viewer", "isn't an email address"),
        (f"invite {{page}} {ANN}", "--role"),
        (f"role {{page}} {ANN} viewer", "isn't a member of this page"),
        ("role {page} owner@localhost viewer", "owns this page"),
        ("remove {page} owner@localhost", "owns this page"),
    ],
)
def test_mistake_is_one_line(world, operator, words, said):
    assert said in operator.refuse("people", *words.format(page=world.page_id).split())


def test_operator_lets_a_guest_create_pages(world, operator):
    sign_up(world, invitations.invite(world.page_id, ANN, "viewer", world.change())[1])

    (guest,) = (one for one in operator.show("owners", "list") if one["email"] == ANN)
    assert not guest["mayCreatePages"]
    assert operator.show("owners", "create", ANN)["mayCreatePages"]
    assert guest | {"mayCreatePages": True} in operator.show("owners", "list")
