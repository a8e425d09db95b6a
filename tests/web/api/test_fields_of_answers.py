"""Answers have the fields that callers were promised and no other, whatever the page has.

All refusals are compared too, wherever tests read their code (code_of).
"""

import re
from typing import Any

import pytest
from support.fake_chain import FakeChain
from support.real_answers import read_list, submit_and_list
from test_openapi import find_mistakes

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
TEXT_OR_NONE = {"type": ["string", "null"]}


def has(**fields: dict) -> dict:
    """Return the schema of an object with just these fields."""
    return {"type": "object", "required": list(fields), "properties": fields}


def lists(element: dict) -> dict:
    return {"type": "array", "items": element}


TAG = has(id=TEXT, name=TEXT, color=TEXT)
WALLET = has(id=TEXT, address=TEXT, publicAlias=TEXT_OR_NONE, tokenBalance=NUMBER, tags=lists(TAG))
SUBMISSION = has(
    id=TEXT,
    walletAddress=TEXT,
    nickname=TEXT,
    status=TEXT,
    rejectReason=TEXT_OR_NONE,
    createdAtIso=TEXT,
    decidedAtIso=TEXT_OR_NONE,
)
SUCCESSES = {
    r"/tracking/\w+": has(
        tokenName=TEXT,
        tokenSymbol=TEXT,
        tokenMint=TEXT,
        publicTitle=TEXT_OR_NONE,
        publicComments=TEXT_OR_NONE,
        wallets=lists(WALLET),
        tags=lists(TAG),
    ),
    "/siws/nonce": has(nonceId=TEXT, message=TEXT),
    "/submissions": has(submissionId=TEXT, status=TEXT),
    "/session/submissions": has(submissions=lists(SUBMISSION)),
}
ONLY_AT_MIRROR = {"isDuplicate", "belowMinimum"}  # of a nonce (docs/api.md, Ask for a nonce)


@pytest.mark.parametrize("root", ["/api/embed", "/embed/api"])
@pytest.mark.parametrize("chain", [FakeChain()])
def test_successes_have_the_fields_of_the_tables(world, chain, root):
    world.root = root
    bodies: dict[str, list[Any]] = {path: [] for path in SUCCESSES}
    for answer in (*read_list(world, chain), *submit_and_list(world)):
        for path, found in bodies.items():
            if re.fullmatch(root + path, answer.request.path) and answer.status_code < 300:
                found.append(answer.json)

    if root == "/embed/api":
        nonces = bodies["/siws/nonce"]
        assert set().union(*nonces) == {"nonceId", "message"} | ONLY_AT_MIRROR
        for one in nonces:
            for name in ONLY_AT_MIRROR & one.keys():
                del one[name]
    assert all(bodies.values())
    for path, found in bodies.items():
        assert find_mistakes(lists(SUCCESSES[path]), found) == [], path
    # The page has a supply, a tag that isn't counted and an unknown balance; the session has
    # submissions in every state, one with the owner's reason.
    page = bodies[r"/tracking/\w+"][0]
    assert {wallet["tokenBalance"]: wallet["tags"] for wallet in page["wallets"]} == {
        5: page["tags"],
        0: [],
    }
    own = bodies["/session/submissions"][0]["submissions"]
    assert {one["status"]: one["rejectReason"] for one in own} == {
        "pending": None,
        "approved": None,
        "auto_approved": None,
        "rejected": "manual",
        "soft_rejected": "duplicate",
    }
