"""The optional nickname of POST /siws/nonce, which puts the name under the signature."""

import pytest
from support.world import Visitor, code_of

from embed.db.models import Proof, Submission


def ask(world, visitor, **fields):
    body = {"trackingPageId": world.page_id, "walletAddress": visitor.address} | fields
    return world.call("POST", "/api/embed/siws/nonce", json=body)


def submit(world, visitor, nickname, *, signed_name):
    nonce = ask(world, visitor, nickname=signed_name).json
    return world.post(world.draft(visitor, nickname, nonce=nonce))


def test_message_has_a_line_with_the_name_before_the_wallet(world):
    visitor = Visitor()

    message = ask(world, visitor, nickname="Ada").json["message"]

    assert f"\n\nName: Ada\nWallet: {visitor.address}\n" in message


@pytest.mark.parametrize("fields", [{}, {"nickname": None}], ids=["absent", "null"])
def test_message_without_a_name_has_no_such_line_and_goes_with_any_name(world, fields):
    visitor = Visitor()
    nonce = ask(world, visitor, **fields).json

    assert "Name:" not in nonce["message"]
    assert code_of(world.post(world.draft(visitor, "Anybody", nonce=nonce))) is None


@pytest.mark.parametrize("nickname", ["Ａｄａ"])
def test_submission_brings_the_same_name_once_normalized(world, nickname):
    visitor = Visitor()

    assert submit(world, visitor, nickname, signed_name="Ada").status_code == 201
    assert Submission.get().nickname == "Ada"
    assert "\nName: Ada\n" in Proof.get().message


@pytest.mark.parametrize("nickname", ["Bob", "Adа"])
def test_submission_with_another_name_is_refused(world, nickname):
    answer = submit(world, Visitor(), nickname, signed_name="Ada")

    assert code_of(answer) == "nonce_binding_mismatch"
    assert Submission.select().count() == Proof.select().count() == 0


@pytest.mark.parametrize(
    ("nickname", "code"),
    [
        ("", "invalid_nickname_length"),
        ("A\nWallet: me", "invalid_nickname_chars"),
        ("\ud800", "invalid_nickname_chars"),
        (7, "missing_fields"),
    ],
)
def test_bad_names_are_refused_before_anything_is_signed(world, nickname, code):
    answer = ask(world, Visitor(), nickname=nickname)

    assert code_of(answer) == code
    assert answer.status_code == 400
