"""Sentences of the activity log; tests/web/dashboard/test_every_change.py has all of them."""

from decimal import Decimal

import pytest
from support.world import USDC

from embed.domain.activity import find_address, read_facts, write_subject


def test_text_of_an_older_version_is_shown_as_it_is():
    assert write_subject("change page", read_facts('{"text":"title: x"}')) == "title: x"


def test_amounts_are_exact():
    facts = read_facts('{"address":"x","tokenBalance":18446744073.709551615,"minBalance":1e-7}')

    assert facts["tokenBalance"] == Decimal("18446744073.709551615")
    assert write_subject("flag wallet", facts) == (
        "x: holds 18446744073.709551615, the minimum is 0.0000001"
    )


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ({"reasonCode": "low_balance"}, "Ann (x): The wallet holds too few tokens."),
        ({"reasonText": "Ask me first."}, "Ann (x): Ask me first."),
        ({"reasonCode": "of a later version"}, "Ann (x)"),
        ({"reasonCode": None, "reasonText": None}, "Ann (x)"),
    ],
)
def test_rejection_is_written_with_its_reason(reason, sentence):
    facts = {"nickname": "Ann", "walletAddress": "x"} | reason

    assert write_subject("reject submission", facts) == sentence


CHANGES = {
    "public_title": None,
    "is_public": True,
    "auto_approve": False,
    "min_balance": Decimal("1e-7"),
    "later": 1,
}
KEY = {"tier": "public", "displayPrefix": "svc_pub_0123", "label": None}
SUBJECTS = [
    (
        "change page",
        CHANGES,
        "title: none, public: on, approve everything at once: off, minimum balance: 0.0000001,"
        " later: 1",
    ),
    ("add wallet", {"erasedBy": "holder"}, "withdrawn by the wallet's holder"),
    ("add wallet", {"erasedBy": "later"}, ""),
    ("invite person", {"email": "a@b.example", "role": "editor"}, "a@b.example (Editor)"),
    ("remove member", {"email": "a@b.example", "role": None}, "a@b.example"),
    ("add wallet", {"address": "x", "publicAlias": None}, "x"),
    ("create key", KEY, "public svc_pub_0123"),
    ("create key", KEY | {"tier": "later", "label": "Blog"}, "Blog (later svc_pub_0123)"),
    (
        "change label",
        KEY | {"tier": "secret", "label": "New", "previousLabel": "Old"},
        "Old (secret svc_pub_0123), now New",
    ),
    (
        "change label",
        KEY | {"previousLabel": "Old"},
        "Old (public svc_pub_0123), now without a label",
    ),
    (
        "change tag",
        {"name": "b", "previousName": "a", "counted": True},
        "a, now b, counted in totals",
    ),
    ("add tag", {"name": "a", "counted": False}, "a, not counted in totals"),
    ("change tag", {"name": "b", "previousName": "a"}, "a, now b"),
    ("remove tag", {"name": "a"}, "a"),
    ("create page", {"tokenName": "USD Coin"}, "USD Coin"),
    ("import wallets", {"added": 1, "changed": 2}, "1 added, 2 changed"),
    ("tag wallets", {"count": 2, "tagName": "team"}, "2, team"),
    ("hide wallets", {"count": 2}, "2"),
    ("withdraw submission", {"submissionId": "s", "createdAtIso": "t"}, "s, sent t"),
    ("add receiver", {"kind": "webhook", "target": "t"}, "channel t"),
    ("add receiver", {"kind": "channel", "target": "t"}, "channel t"),
    ("add receiver", {"kind": "mail", "target": "t"}, "emails to t"),
    ("add block", {"kind": "wallet", "pattern": "p"}, "wallet p"),
    ("add block", {"kind": "name", "pattern": "p"}, "name p"),
    ("add block", {"kind": "network", "pattern": "p"}, "network p"),
    ("erase wallet", {}, "and all its data"),
    ("add block", {"kind": "later"}, ""),
]


@pytest.mark.parametrize(("action", "facts", "sentence"), SUBJECTS)
def test_facts_are_written_as_what_was_changed(action, facts, sentence):
    assert write_subject(action, facts) == sentence


@pytest.mark.parametrize("value", [None, True, 7, "", "%(x)s", [], {"text": 1}])
def test_any_facts_have_a_sentence(value):
    """A page that version 0.6.0 imported from a file may have any facts."""
    for action, facts, _ in SUBJECTS:
        changed = [dict.fromkeys(facts, value), *(facts | {name: value} for name in facts)]
        assert all(isinstance(write_subject(action, each), str) for each in changed)


@pytest.mark.parametrize("value", [None, True, 7, "", "x", USDC + "x", [USDC]])
def test_only_an_address_is_one(value):
    assert find_address({"address": value, "walletAddress": value}) is None
