"""POST /submissions (docs/api.md, Submit a wallet), but for policy, which has its own file."""

import base64

import pytest
from support.world import SITE, Visitor, code_of

from embed.db.models import Submission

pytestmark = pytest.mark.deployed


def test_session_may_come_between_nonce_and_submission(world):
    visitor = Visitor()
    draft = world.draft(visitor)
    world.open_widget(visitor)

    assert world.post(draft, cookie=visitor.cookie).status_code == 201
    assert len(world.list_own(visitor).json["submissions"]) == 1


def test_wallet_that_is_approved_at_once_needs_no_place_in_the_queue(world):
    world.configure(queue_capacity=0)
    assert code_of(world.submit(Visitor())) == "queue_full"

    world.configure(auto_approve=True)

    assert world.submit(Visitor()).json["status"] == "auto_approved"


@pytest.mark.parametrize(
    ("asked_at", "sent_to"), [("/api/embed", "/embed/api"), ("/embed/api", "/api/embed")]
)
def test_both_addresses_of_the_api_are_one(world, asked_at, sent_to):
    world.root = asked_at
    draft = world.draft(Visitor())
    world.root = sent_to

    assert world.post(draft).status_code == 201


# Nonces


def test_used_nonce_stays_used_however_it_is_written(world):
    world.configure(cooldown_s=0)
    draft = world.draft(Visitor())
    answer = world.post(draft)
    assert answer.json == {"submissionId": Submission.get().id, "status": "pending"}
    world.reject(answer.json["submissionId"])
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    # Some of them differ in bits that decoding ignores.
    others = [draft["nonceId"][:-1] + letter for letter in letters]
    codes = {other: code_of(world.post(draft | {"nonceId": other})) for other in others}

    assert set(codes.values()) == {"invalid_nonce"}, codes


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"nickname": ""}, "invalid_nickname_length"),
        ({"signature": base64.b64encode(bytes(64)).decode()}, "invalid_signature"),
        ({"walletAddress": Visitor().address}, "nonce_binding_mismatch"),
        ({}, "ca_gate_failed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refused_submission_leaves_the_nonce_usable(world, wrong, code):
    visitor = Visitor()
    draft = world.draft(visitor)
    world.configure(min_balance=1)

    assert code_of(world.post(draft | wrong)) == code

    world.observe(visitor.address, 1)
    assert world.post(draft).status_code == 201


@pytest.mark.parametrize("tier", ["public", "secret"])
def test_nonce_of_another_key_is_refused(world, tier):
    visitor = Visitor()
    other = world.make_key(tier, origins=[SITE] if tier == "public" else [])
    draft = world.draft(visitor, nonce=world.ask_nonce(visitor, key=other).json)

    assert code_of(world.post(draft)) == "nonce_binding_mismatch"
    assert world.post(draft, key=other).status_code == 201


# Signatures


def test_signature_over_another_nonces_message_is_refused(world):
    visitor = Visitor()
    first, second = world.ask_nonce(visitor).json, world.ask_nonce(visitor).json
    draft = world.draft(visitor, nonce=first, signature=visitor.sign(second["message"]))

    assert code_of(world.post(draft)) == "invalid_signature"


def test_owners_edit_between_the_two_calls_does_not_break_the_signature(world):
    draft = world.draft(Visitor())

    world.configure(token_name="Renamed", token_symbol="NEW", public_title="New")

    assert world.post(draft).status_code == 201
