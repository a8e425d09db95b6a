"""GET /session/submissions (docs/api.md, List own submissions), and its elements."""

from datetime import timedelta

import pytest
from support.world import Visitor, another_wallet, code_of, with_session

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


def test_waiting_submission_has_the_fields_of_the_spec(world, visitor):
    submitted = world.submit(visitor, " Ann ")

    assert list_own(world, visitor) == [
        {
            "id": submitted.json["submissionId"],
            "walletAddress": visitor.address,
            "nickname": "Ann",
            "status": "pending",
            "rejectReason": None,
            "createdAtIso": MORNING,
            "decidedAtIso": None,
        }
    ]


@pytest.mark.parametrize(
    ("decide", "status", "reason"),
    [("approve", "approved", None), ("reject", "rejected", "manual")],
)
def test_owners_decision_is_shown_with_its_time(world, visitor, decide, status, reason):
    submitted = world.submit(visitor)
    world.clock.forward(hours=10)
    getattr(world, decide)(submitted.json["submissionId"])

    (own,) = list_own(world, visitor)

    assert (own["status"], own["rejectReason"]) == (status, reason)
    assert (own["createdAtIso"], own["decidedAtIso"]) == (MORNING, EVENING)


def test_auto_approved_submission_was_decided_at_once(world, visitor):
    world.configure(auto_approve=True)
    world.submit(visitor)

    (own,) = list_own(world, visitor)

    assert (own["status"], own["rejectReason"]) == ("auto_approved", None)
    assert (own["createdAtIso"], own["decidedAtIso"]) == (MORNING, MORNING)


def test_refusal_by_policy_is_shown_as_decided_at_once(world, visitor):
    world.configure(queue_capacity=0)
    assert code_of(world.submit(visitor, "Ann")) == "queue_full"

    (own,) = list_own(world, visitor)

    assert own.pop("id")
    assert own == {
        "walletAddress": visitor.address,
        "nickname": "Ann",
        "status": "soft_rejected",
        "rejectReason": "queue_full",
        "createdAtIso": MORNING,
        "decidedAtIso": MORNING,
    }


def test_newest_comes_first(world, visitor):
    nicknames = ["first", "second", "third"]
    for nickname in nicknames:
        world.submit(another_wallet(visitor), nickname)
        world.clock.forward(milliseconds=1)

    assert [own["nickname"] for own in list_own(world, visitor)] == nicknames[::-1]


@pytest.mark.in_process
@pytest.mark.databases("sqlite", "postgres")
def test_only_the_fifty_newest_are_listed(world_with):
    world = world_with(
        LIMIT_SESSION_NONCES="60/hour",
        LIMIT_SESSION_SUBMISSIONS="60/hour",
        LIMIT_IP_SUBMISSIONS="60/hour",
    )
    visitor = Visitor()
    world.open_widget(visitor)
    for number in range(51):
        assert world.submit(another_wallet(visitor), f"n{number}").status_code == 201
        world.clock.forward(milliseconds=1)

    nicknames = [own["nickname"] for own in list_own(world, visitor)]

    assert nicknames == [f"n{number}" for number in range(50, 0, -1)]


def test_other_visitors_submissions_are_not_listed(world, visitor):
    other = Visitor()
    world.open_widget(other)
    world.submit(other)
    world.submit(Visitor())

    assert list_own(world, visitor) == []


def test_submissions_to_other_pages_are_not_listed(world, visitor):
    other = world.make_page()
    key = world.make_key("secret", page_id=other)
    world.submit(visitor)

    assert list_own(world, visitor, page_id=other, key=key) == []
    assert len(list_own(world, visitor)) == 1


def test_list_is_empty_without_session(world):
    visitor = Visitor()
    world.submit(visitor)

    assert list_own(world, visitor) == []


@pytest.mark.parametrize(
    "close_page",
    [lambda world: world.configure(is_public=False), lambda world: world.delete_page()],
    ids=["private", "deleted"],
)
def test_list_outlives_the_page(world, visitor, close_page):
    world.submit(visitor)
    close_page(world)

    assert len(list_own(world, visitor)) == 1


def test_list_reads_and_writes_nothing(world, visitor):
    world.submit(visitor)
    before = world.dump()

    list_own(world, visitor)

    assert world.dump() == before
    assert Submission.select().count() == 1


# The cookie


def test_session_ends_after_thirty_days(world, visitor):
    world.submit(visitor)

    world.clock.forward(days=30, milliseconds=-1)
    assert len(list_own(world, visitor)) == 1

    world.clock.forward(milliseconds=1)
    assert list_own(world, visitor) == []


FORGERIES = {
    "text": lambda cookie, nonce: "x",
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
    before = world.dump()

    assert list_own(world, forger) == []
    assert world.ask_nonce(forger).status_code == 200
    assert world.dump() == before

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
