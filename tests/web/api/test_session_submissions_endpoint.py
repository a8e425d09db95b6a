"""GET /session/submissions (docs/api.md, List own submissions), and its elements."""

from datetime import timedelta

import pytest
from support.world import Visitor, another_wallet, with_session

from embed.db.models import Submission
from embed.runtime import EXTENSION

pytestmark = pytest.mark.deployed

MORNING = "2026-01-31T09:30:00.000Z"
EVENING = "2026-01-31T19:30:00.000Z"


@pytest.fixture
def visitor(world) -> Visitor:
    return with_session(world)


def list_own(world, visitor, **arguments):
    answer = world.list_own(visitor, **arguments)
    assert answer.status_code == 200, answer.text
    assert set(answer.json) == {"submissions"}
    return answer.json["submissions"]


@pytest.mark.parametrize(
    ("rules", "decide", "status", "reason", "decided_at"),
    [
        ({}, None, "pending", None, None),
        ({}, "approve", "approved", None, EVENING),
        ({}, "reject", "rejected", "manual", EVENING),
        ({"auto_approve": True}, None, "auto_approved", None, MORNING),
        ({"queue_capacity": 0}, None, "soft_rejected", "queue_full", MORNING),
    ],
)
def test_submission_is_shown_with_what_was_decided_and_when(
    world, visitor, rules, decide, status, reason, decided_at
):
    world.configure(**rules)
    submission_id = world.submit(visitor, " Ann ").json.get("submissionId")
    world.clock.forward(hours=10)
    if decide:
        getattr(world, decide)(submission_id)

    (own,) = list_own(world, visitor)

    assert own == {
        "id": submission_id or own["id"],
        "walletAddress": visitor.address,
        "nickname": "Ann",
        "status": status,
        "rejectReason": reason,
        "createdAtIso": MORNING,
        "decidedAtIso": decided_at,
    }


@pytest.mark.in_process
@pytest.mark.databases("sqlite", "postgres")
def test_only_the_fifty_newest_are_listed_and_the_newest_comes_first(world_with):
    limits = ("LIMIT_SESSION_NONCES", "LIMIT_SESSION_SUBMISSIONS", "LIMIT_IP_SUBMISSIONS")
    world = world_with(**dict.fromkeys(limits, "60/hour"))
    visitor = with_session(world)
    for number in range(51):
        assert world.submit(another_wallet(visitor), f"n{number}").status_code == 201
        world.clock.forward(milliseconds=1)

    nicknames = [own["nickname"] for own in list_own(world, visitor)]

    assert nicknames == [f"n{number}" for number in range(50, 0, -1)]


def test_other_visitors_submissions_are_not_listed(world, visitor):
    world.submit(with_session(world))
    without_session = Visitor()
    world.submit(without_session)

    assert list_own(world, visitor) == []
    assert list_own(world, without_session) == []


def test_submissions_to_other_pages_are_not_listed(world, visitor):
    other = world.make_page()
    key = world.make_key("secret", page_id=other)
    world.submit(visitor)

    assert list_own(world, visitor, page_id=other, key=key) == []
    assert len(list_own(world, visitor)) == 1


@pytest.mark.parametrize(
    "close_page",
    [lambda world: world.configure(is_public=False), lambda world: world.delete_page()],
    ids=["private", "deleted"],
)
def test_list_outlives_the_page_and_writes_nothing(world, visitor, close_page):
    world.submit(visitor)
    close_page(world)
    before = world.dump()

    assert len(list_own(world, visitor)) == 1
    assert world.dump() == before


# The cookie


def test_session_ends_after_thirty_days(world, visitor):
    world.submit(visitor)

    world.clock.forward(days=30, milliseconds=-1)
    assert len(list_own(world, visitor)) == 1

    world.clock.forward(milliseconds=1)
    assert list_own(world, visitor) == []


FORGERIES = {
    "nonce": lambda cookie, nonce: nonce,
    "long": lambda cookie, nonce: "a" * 5000,
    "two values": lambda cookie, nonce: f"x; embed_session={cookie}x",
    "Latin-1": lambda cookie, nonce: f"{cookie}\xe9",
    "quoted NUL": lambda cookie, nonce: '"\\000"',
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
@pytest.mark.in_process
def test_forged_cookie_is_as_good_as_none(world, visitor, forge):
    world.submit(visitor)
    forger = Visitor()
    forger.cookie = forge(visitor.cookie, world.ask_nonce(forger).json["nonceId"])

    assert list_own(world, forger) == []
    submitted = world.submit(forger)
    assert submitted.status_code == 201
    assert Submission.get_by_id(submitted.json["submissionId"]).session_id is None


@pytest.mark.in_process
def test_cookie_that_an_earlier_version_set_is_still_known(world, visitor):
    world.submit(visitor)
    signer, earlier = world.app.extensions[EXTENSION].signer, Visitor()
    session_id = Submission.get().session_id
    earlier.cookie = signer.sign("embed session", session_id, timedelta(days=30))

    assert len(list_own(world, earlier)) == 1
