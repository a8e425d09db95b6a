"""Sentences of the activity log; tests/web/dashboard/test_every_change.py has all of them."""

from decimal import Decimal

import pytest
from support.world import USDC

from embed.domain.activity import SENTENCE_BY_ACTION, find_address, read_facts, write_subject


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


@pytest.mark.parametrize("value", [None, True, 7, "", "%(x)s", [], {"text": 1}])
@pytest.mark.parametrize("action", SENTENCE_BY_ACTION)
def test_any_facts_have_a_sentence(action, value):
    """A page that version 0.6.0 imported from a file may have any facts."""
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
