"""The page's policy over HTTP: gate, cooldown, ladder, capacity, duplicate."""

from decimal import Decimal

import pytest
from support.world import Visitor, another_wallet, code_of, read_exactly, with_session

from embed.db.models import Submission
from embed.domain import policy
from embed.people import accounts
from embed.submissions import queries
from embed.submissions.soft_rejections import read_counts_without_session

pytestmark = [pytest.mark.slow, pytest.mark.deployed]


def submit(world, visitor, nickname="Visitor", **arguments) -> str:
    """Submit and return the new submission's id."""
    answer = world.submit(visitor, nickname, **arguments)
    assert answer.status_code == 201, answer.json
    return answer.json["submissionId"]


def submit_status(world, visitor) -> str:
    answer = world.submit(visitor)
    assert answer.status_code == 201, answer.json
    return answer.json["status"]


def list_own(world, visitor) -> list[tuple[str, str | None]]:
    submissions = world.list_own(visitor).json["submissions"]
    return [(own["status"], own["rejectReason"]) for own in submissions]


# Holding gate


@pytest.mark.parametrize(
    ("balance", "minimum"), [("18446744073.709551614", "18446744073.709551615"), ("0", "0.0000001")]
)
def test_wallet_below_the_minimum_learns_both_numbers(world, balance, minimum):
    visitor = Visitor()
    world.configure(min_balance=minimum)
    world.observe(visitor.address, balance)

    answer = world.submit(visitor)

    assert answer.status_code == 422
    numbers = {"balance": Decimal(balance), "minBalance": Decimal(minimum)}
    assert read_exactly(answer) == {"error": "ca_gate_failed"} | numbers
    assert answer.text.endswith(f'"balance": {balance}, "minBalance": {minimum}}}')


# Cooldown


@pytest.mark.parametrize(
    ("passed", "retry_after"),
    [({"milliseconds": 1}, "60"), ({"seconds": 59, "milliseconds": 999}, "1")],
    ids=["1 ms", "1 ms before the end"],
)
def test_seconds_to_wait_are_rounded_up(world, passed, retry_after):
    visitor = Visitor()
    world.configure(cooldown_s=60)
    world.reject(submit(world, visitor))
    world.clock.forward(seconds=60)
    world.reject(submit(world, visitor))  # the newest counts

    world.clock.forward(**passed)

    assert world.submit(visitor).headers["Retry-After"] == retry_after


@pytest.mark.parametrize("trust_after", [0, 2], ids=["no ladder", "a ladder"])
def test_cooldown_concerns_the_wallet_and_the_page_only(world, trust_after):
    world.configure(trust_after=trust_after)
    visitor = with_session(world)
    world.reject(submit(world, visitor))

    assert submit_status(world, another_wallet(visitor)) == "pending"
    other = world.make_page(trust_after=trust_after)
    key = world.make_key("secret", page_id=other)
    nonce = world.ask_nonce(visitor, page_id=other, key=key).json
    draft = world.draft(visitor, nonce=nonce, trackingPageId=other)
    assert code_of(world.post(draft, key=key)) is None


# Auto-approval


@pytest.mark.parametrize("way", ["approved by hand", "auto-approved"])
def test_wallet_that_is_tracked_already_stays_as_the_owner_has_it(world, way):
    visitor = Visitor()
    world.add_tag("Friend")
    world.track(visitor.address, alias="Owner's", tag_names=["Friend"])
    before = world.read().json["wallets"]

    if way == "auto-approved":
        world.configure(auto_approve=True)
        assert submit_status(world, visitor) == "auto_approved"
    else:
        world.approve(submit(world, visitor, "Mine"))

    assert world.read().json["wallets"] == before


# Trust ladder


def earn_approvals(world, visitor, count: int) -> None:
    """Submit wallets and approve each by hand."""
    for _ in range(count):
        world.approve(submit(world, another_wallet(visitor)))
        world.clock.forward(seconds=1)


def test_session_climbs_by_approvals_by_hand_until_a_rejection(world):
    visitor = with_session(world)
    world.configure(auto_approve=True)
    for _ in range(2):
        submit(world, another_wallet(visitor))
    world.configure(auto_approve=False, trust_after=2)
    rejected = submit(world, another_wallet(visitor))
    earn_approvals(world, visitor, 1)
    assert submit_status(world, another_wallet(visitor)) == "pending"
    earn_approvals(world, visitor, 1)
    assert submit_status(world, another_wallet(visitor)) == "auto_approved"

    world.reject(rejected)
    world.clock.forward(seconds=1)

    assert submit_status(world, another_wallet(visitor)) == "pending"


def test_other_sessions_and_visitors_without_one_earn_nothing(world):
    world.configure(trust_after=1)
    earn_approvals(world, with_session(world), 1)
    earn_approvals(world, Visitor(), 1)

    assert submit_status(world, with_session(world)) == "pending"
    assert submit_status(world, Visitor()) == "pending"


@pytest.mark.parametrize("whose", ["the owner's", "a stranger's"])
def test_wallet_carries_its_trust_to_the_owners_other_pages_and_a_session_to_none(world, whose):
    visitor = with_session(world)
    world.approve(submit(world, visitor))
    owner = None
    if whose == "a stranger's":
        owner = accounts.create_person("stranger@example.com", world.clock())

    world.page_id = world.make_page(trust_after=1, owner=owner)
    world.public_key = world.make_key("public", origins=["https://site.example"])

    assert submit_status(world, another_wallet(visitor)) == "pending"
    assert submit_status(world, visitor) == ("pending" if owner else "auto_approved")


# Refusals in the visitor's own list


def refuse_by_gate(world, visitor):
    world.configure(min_balance=1)
    return world.submit(visitor)


def refuse_by_cooldown(world, visitor):
    key = world.secret_key  # the rejected submission has no session
    nonce = world.ask_nonce(visitor, key=key).json
    answer = world.post(world.draft(visitor, nonce=nonce), key=key)
    world.reject(answer.json["submissionId"])
    return world.submit(visitor)


def refuse_by_queue(world, visitor):
    world.configure(queue_capacity=0)
    return world.submit(visitor)


def refuse_as_duplicate(world, visitor):
    world.approve(world.post(world.draft(visitor)).json["submissionId"])
    return world.submit(visitor)


REFUSALS = {
    "ca_gate": refuse_by_gate,
    "cooldown": refuse_by_cooldown,
    "queue_full": refuse_by_queue,
    "duplicate": refuse_as_duplicate,
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_refusal_is_in_a_sessions_list_with_its_reason_and_only_counted_without_one(world, reason):
    code_by_reason = {name: code for code, name in policy.REJECT_REASON_BY_CODE.items()}
    assert code_of(REFUSALS[reason](world, Visitor())) == code_by_reason[reason]
    assert not Submission.select().where(Submission.status == "soft_rejected").exists()

    visitor = with_session(world)
    assert code_of(REFUSALS[reason](world, visitor)) == code_by_reason[reason]

    refused = [own for own in list_own(world, visitor) if own[0] == "soft_rejected"]
    assert refused == [("soft_rejected", reason)]
    assert read_counts_without_session(world.page) == {reason: 1}


def test_refusal_by_the_sessions_limit_is_in_its_list(world):
    visitor = with_session(world)
    for _ in range(10):
        submit(world, another_wallet(visitor))

    assert code_of(world.submit(visitor)) == "rate_limit_session"
    assert ("soft_rejected", "rate_limited") in list_own(world, visitor)


def test_repeated_refusal_renews_its_row_in_place(world):
    visitor = with_session(world)
    refuse_by_gate(world, visitor)
    (first,) = world.list_own(visitor).json["submissions"]
    world.clock.forward(seconds=5)

    for nickname in ("Second", "Third"):
        assert code_of(world.submit(visitor, nickname)) == "ca_gate_failed"

    (renewed,) = world.list_own(visitor).json["submissions"]
    assert renewed == first | {
        "nickname": "Third",
        "createdAtIso": "2026-01-31T09:30:05.000Z",
        "decidedAtIso": "2026-01-31T09:30:05.000Z",
    }
    assert Submission.select().count() == 1


@pytest.mark.in_process
@pytest.mark.databases("sqlite", "postgres")
def test_session_fills_the_table_with_no_more_refusals_than_its_list_shows(world_with):
    limits = ("LIMIT_SESSION_NONCES", "LIMIT_SESSION_SUBMISSIONS", "LIMIT_IP_SUBMISSIONS")
    world = world_with(**dict.fromkeys(limits, "60/hour"))
    visitor, other = with_session(world), with_session(world)
    submit(world, visitor, "kept")
    world.configure(min_balance=1)
    world.submit(other)
    for number in range(52):
        world.clock.forward(milliseconds=1)
        assert code_of(world.submit(another_wallet(visitor), f"n{number}")) == "ca_gate_failed"

    kept = queries.list_of_page(world.page_id, status="soft_rejected", limit=100)
    of_visitor = [one.nickname for one in kept if one.nickname != "Visitor"]

    assert of_visitor == [f"n{number}" for number in range(51, 1, -1)]
    assert len(list_own(world, other)) == 1
    assert len(queries.list_of_page(world.page_id, status="pending")) == 1
