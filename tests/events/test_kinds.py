"""Actions and their facts: what is stored, and how it's read in the log."""

from decimal import Decimal

import pytest
from support.world import USDC

from embed.events.kinds import FACTS_BY_ACTION, find_address, read_facts, write_subject
from embed.serializers import write_json


def write(facts: dict) -> str:
    return write_json(facts, is_compact=True).decode()


CHANGES = {
    "public_title": None,
    "is_public": True,
    "auto_approve": False,
    "min_balance": Decimal("1e-7"),
    "later": 1,
}
PUBLIC = {"tier": "public", "displayPrefix": "svc_pub_0123", "label": None}
SECRET = {"tier": "secret", "displayPrefix": "svc_sec_0123", "label": "Blog"}
HOLDING = {
    "walletId": "w",
    "address": "x",
    "publicAlias": None,
    "tokenBalance": Decimal("18446744073.709551615"),
    "minBalance": Decimal("1e-7"),
}
HOLDS = "x: holds 18446744073.709551615, the minimum is 0.0000001"
SUBMISSION = {
    "id": "s",
    "walletAddress": USDC,
    "nickname": "Ann",
    "status": "rejected",
    "rejectReason": "manual",
    "createdAtIso": "2026-01-31T09:30:12.345Z",
    "decidedAtIso": "2026-01-31T09:31:12.345Z",
    "reasonCode": None,
    "reasonText": None,
}
WITHDRAWAL = {
    "submissionId": "s",
    "status": "pending",
    "createdAtIso": "t",
    "withdrawnAtIso": "u",
    "leftList": False,
}
# As databases have them: neither actions nor names of facts may change.
STORED = [
    ("create page", {"tokenName": "USD Coin"}, "USD Coin"),
    ("delete page", {"tokenName": "USD Coin"}, "USD Coin"),
    ("restore page", {"tokenName": "USD Coin"}, "USD Coin"),
    (
        "change page",
        CHANGES,
        "title: none, public: on, approve everything at once: off, minimum balance: 0.0000001,"
        " later: 1",
    ),
    ("change look", {"accent": "ff6600", "hide": "tools"}, "accent: ff6600, hide: tools"),
    ("invite person", {"email": "a@b.example", "role": "editor"}, "a@b.example (Editor)"),
    ("revoke invitation", {"email": "a@b.example"}, "a@b.example"),
    ("accept invitation", {"email": "a@b.example", "role": "owner"}, "a@b.example (Owner)"),
    ("change role", {"email": "a@b.example", "role": "viewer"}, "a@b.example (Viewer)"),
    ("remove member", {"email": "a@b.example", "role": "of later"}, "a@b.example"),
    ("create key", PUBLIC, "public svc_pub_0123"),
    ("change origins", SECRET, "Blog (secret svc_sec_0123)"),
    ("revoke key", SECRET, "Blog (secret svc_sec_0123)"),
    ("change label", SECRET | {"previousLabel": "Old"}, "Old (secret svc_sec_0123), now Blog"),
    ("change label", SECRET | {"previousLabel": None}, "secret svc_sec_0123, now Blog"),
    (
        "change label",
        PUBLIC | {"previousLabel": "Old"},
        "Old (public svc_pub_0123), now without a label",
    ),
    ("add tag", {"name": "a"}, "a"),
    ("add tag", {"name": "a", "counted": False}, "a, not counted in totals"),
    ("change tag", {"name": "b", "previousName": "b"}, "b"),
    ("change tag", {"name": "b", "previousName": "a"}, "a, now b"),
    (
        "change tag",
        {"name": "b", "previousName": "a", "counted": True},
        "a, now b, counted in totals",
    ),
    ("remove tag", {"name": "a"}, "a"),
    ("add wallet", {"address": "x", "publicAlias": None}, "x"),
    ("change wallet", {"address": "x", "publicAlias": "Ann"}, "Ann (x)"),
    ("remove wallet", {"address": "x", "publicAlias": "Ann"}, "Ann (x)"),
    ("import wallets", {"added": 1, "changed": 2}, "1 added, 2 changed"),
    ("hide wallets", {"count": 2}, "2"),
    ("show wallets", {"count": 2}, "2"),
    ("tag wallets", {"count": 2, "tagName": "team"}, "2, team"),
    ("untag wallets", {"count": 2, "tagName": "team"}, "2, team"),
    ("remove wallets", {"count": 2}, "2"),
    ("flag wallet", HOLDING | {"hidden": False}, HOLDS),
    ("unflag wallet", HOLDING | {"publicAlias": "Ann"}, HOLDS.replace("x", "Ann (x)", 1)),
    ("erase wallet", {}, "and all its data"),
    ("add receiver", {"kind": "webhook", "target": "t"}, "channel t"),
    ("remove receiver", {"kind": "channel", "target": "t"}, "channel t"),
    ("rotate secret", {"kind": "webhook", "target": "t"}, "channel t"),
    ("allow deciding", {"kind": "mail", "target": "t"}, "emails to t"),
    ("end deciding", {"kind": "mail", "target": "t"}, "emails to t"),
    ("approve submission", SUBMISSION, f"Ann ({USDC})"),
    (
        "reject submission",
        SUBMISSION | {"reasonCode": "low_balance"},
        f"Ann ({USDC}): The wallet holds too few tokens.",
    ),
    ("reject submission", SUBMISSION | {"reasonText": "Ask me."}, f"Ann ({USDC}): Ask me."),
    ("reject submission", SUBMISSION | {"reasonCode": "of later"}, f"Ann ({USDC})"),
    ("undo decision", SUBMISSION, f"Ann ({USDC})"),
    ("add block", {"kind": "wallet", "pattern": "p"}, "wallet p"),
    ("remove block", {"kind": "network", "pattern": "p"}, "network p"),
    ("withdraw submission", WITHDRAWAL, "s"),
]


@pytest.mark.parametrize(("action", "facts", "subject"), STORED)
def test_stored_facts_say_what_was_changed_and_are_written_as_they_were(action, facts, subject):
    assert write_subject(action, write(facts)) == subject

    read = FACTS_BY_ACTION[action].read(read_facts(write(facts)))
    assert write(read.write()) == write(facts)


def test_every_action_is_one_of_these():
    assert {action for action, *_ in STORED} == FACTS_BY_ACTION.keys()


@pytest.mark.parametrize(
    ("facts", "subject"),
    [
        ({"text": "title: x"}, "title: x"),  # as version 0.5.0 wrote it
        ({"erasedBy": "holder"}, "withdrawn by the wallet's holder"),
        ({"erasedBy": "operator"}, "purged by the operator"),
        ({"erasedBy": "of later"}, ""),
    ],
)
def test_other_facts_may_be_in_their_place(facts, subject):
    for action in (*FACTS_BY_ACTION, "of later"):
        assert write_subject(action, write(facts)) == subject


def test_unknown_action_and_facts_of_another_one_have_no_subject():
    assert write_subject("of later", '{"name":"a"}') == ""
    assert write_subject("add tag", '{"tokenName":"USD Coin"}') == ""


@pytest.mark.parametrize("value", [None, True, 7, "", "x", USDC + "x", [USDC]])
def test_only_an_address_is_one(value):
    assert find_address({"address": value, "walletAddress": value}) is None
