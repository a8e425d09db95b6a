"""Sentences of the activity log, and what is read of those that older versions stored.

All sentences of today are proved where they are shown (tests/web/dashboard/test_every_change.py),
all old ones by the upgrade of tests/support/old_databases.py.
"""

from decimal import Decimal

import pytest
from support.world import USDC

from embed.domain.activity import (
    SENTENCE_BY_ACTION,
    find_address,
    parse_old_subject,
    read_facts,
    write_subject,
)


@pytest.mark.parametrize(
    ("action", "subject"),
    [
        ("add wallet", f"{USDC} ({USDC}x)"),
        ("add wallet", ""),
        ("approve submission", USDC),
        ("flag wallet", f"{USDC}: holds 1.50, the minimum is 2"),
        ("flag wallet", f"{USDC}: holds ., the minimum is ."),
        ("create key", "Main (public svc_pub_kkkk"),
        ("import wallets", "03 added, 1 changed"),
        ("erase wallet", "and more"),
        ("something of a later version", "x"),
    ],
)
def test_old_sentence_that_is_not_understood_is_kept_and_shown(action, subject):
    facts = read_facts(parse_old_subject(action, subject))

    assert facts == {"text": subject}
    assert write_subject(action, facts) == subject
    assert find_address(facts) is None


@pytest.mark.parametrize("action", ["add wallet", "approve submission", "flag wallet"])
def test_address_of_an_old_sentence_is_its_last_one(action):
    end = ": holds 0.5, the minimum is 1" if action == "flag wallet" else ""
    quoting = f"x ({USDC[::-1]}): holds 1, the minimum is 2"
    facts = read_facts(parse_old_subject(action, f"{quoting} ({USDC}){end}"))

    assert find_address(facts) == USDC
    assert (facts.get("publicAlias") or facts.get("nickname")) == quoting


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


@pytest.mark.parametrize("value", [None, True, 7, "", "%(x)s", [], {"text": 1}])
@pytest.mark.parametrize("action", SENTENCE_BY_ACTION)
def test_any_facts_have_a_sentence(action, value):
    """A page's file may hold anything."""
    names = [
        "text",
        "erasedBy",
        "tokenBalance",
        "minBalance",
        "address",
        "walletAddress",
        "nickname",
        "publicAlias",
        "tier",
        "displayPrefix",
        "label",
        "previousLabel",
        "name",
        "previousName",
        "reasonCode",
        "reasonText",
        "tokenName",
        "added",
        "changed",
        "count",
        "tagName",
        "submissionId",
        "createdAtIso",
        "kind",
        "target",
        "token_mint",
    ]
    every = [dict.fromkeys(names[start:], value) for start in range(len(names) + 1)]

    assert all(isinstance(write_subject(action, facts), str) for facts in every)


@pytest.mark.parametrize("value", [None, True, 7, "", "x", USDC + "x", [USDC]])
def test_only_an_address_is_one(value):
    assert find_address({"address": value, "walletAddress": value}) is None
