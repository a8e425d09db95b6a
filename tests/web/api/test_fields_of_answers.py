"""Answers have the fields that callers were promised and no other, whatever the page has.

All refusals are compared too, wherever tests read their code (code_of).
"""

import re
from typing import Any

import pytest
from support.fake_chain import FakeChain
from support.real_answers import read_list, submit_and_list

NUMBER = int | float
TAG = {"id": str, "name": str, "color": str}
WALLET = {
    "id": str,
    "address": str,
    "publicAlias": str | None,
    "tokenBalance": NUMBER,
    "tags": [TAG],
}
PAGE = {
    "tokenName": str,
    "tokenSymbol": str,
    "tokenMint": str,
    "publicTitle": str | None,
    "publicComments": str | None,
    "wallets": [WALLET],
    "tags": [TAG],
}
SUBMISSION = {
    "id": str,
    "walletAddress": str,
    "nickname": str,
    "status": str,
    "rejectReason": str | None,
    "createdAtIso": str,
    "decidedAtIso": str | None,
}
NONCE = {"nonceId": str, "message": str}
SUCCESSES = {
    r"/tracking/\w+": PAGE,
    "/siws/nonce": NONCE,
    "/submissions": {"submissionId": str, "status": str},
    "/session/submissions": {"submissions": [SUBMISSION]},
}
ONLY_AT_MIRROR = {"isDuplicate", "belowMinimum"}  # of a nonce (docs/api.md, Ask for a nonce)


def find_differences(value: Any, table: Any, place: str = "") -> list[str]:
    """Return where an answer has other fields or types than its table."""
    if isinstance(table, dict) and isinstance(value, dict):
        if value.keys() != table.keys():
            return [f"{place}: {sorted(value.keys() ^ table.keys())}"]
        return [
            difference
            for name in table
            for difference in find_differences(value[name], table[name], f"{place}.{name}")
        ]
    if isinstance(table, list) and isinstance(value, list):
        return [
            difference
            for number, one in enumerate(value)
            for difference in find_differences(one, table[0], f"{place}[{number}]")
        ]
    is_right = not isinstance(table, dict | list) and isinstance(value, table)
    return [] if is_right else [f"{place}: {value!r}"]


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
        assert {name for one in nonces for name in one} == NONCE.keys() | ONLY_AT_MIRROR
        for one in nonces:
            for name in ONLY_AT_MIRROR & one.keys():
                del one[name]
    assert all(bodies.values())
    assert [
        difference
        for path, found in bodies.items()
        for difference in find_differences(found, [SUCCESSES[path]], path)
    ] == []
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
