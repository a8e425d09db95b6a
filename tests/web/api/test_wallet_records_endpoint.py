"""POST /wallet-records: what a page keeps of a wallet, for whoever holds its key."""

from decimal import Decimal

import pytest
from support.world import Visitor, code_of, read_exactly, with_session

from embed.balances.observations import ChainObservation, store_chain
from embed.db import used_nonces
from embed.db.models import Submission, UsedNonce
from embed.wallets.listings import update_listings

pytestmark = pytest.mark.deployed

ACTIONS = ("show", "withdraw")


def show(world, visitor, **arguments) -> dict:
    answer = world.show_records(visitor, **arguments)
    assert code_of(answer) is None
    return answer.json


# What is shown


def test_wallet_that_the_page_knows_nothing_of(world):
    visitor = Visitor()

    assert show(world, visitor) == {
        "walletAddress": visitor.address,
        "listed": None,
        "submissions": [],
        "activity": [],
        "messages": 0,
        "listings": [],
        "observedBalance": None,
        "enteredBalance": None,
    }


@pytest.mark.databases("sqlite", "postgres")
def test_everything_is_shown_from_any_device_without_a_cookie(world):
    visitor = with_session(world)
    submission_id = world.submit(visitor, "Ann").json["submissionId"]
    world.clock.forward(minutes=1)
    world.approve(submission_id)
    world.observe(visitor.address, "18446744073709551615.000000001")
    store_chain(
        world.page.token_mint,
        [ChainObservation(visitor.address, "x", Decimal("0.1"), 7, world.clock(), Decimal(0))],
    )
    world.clock.forward(minutes=1)
    update_listings(world.clock())

    answer = world.show_records(Visitor(visitor.key))

    records = read_exactly(answer)
    assert records["listed"] == {
        "publicAlias": "Ann",
        "tags": [],
        "hideFromPublic": False,
        "flagged": False,
        "withheld": False,
        "addedBy": "submission",
        "createdAtIso": "2026-01-31T09:31:00.000Z",
    }
    assert records["submissions"] == [
        {
            "id": submission_id,
            "walletAddress": visitor.address,
            "nickname": "Ann",
            "status": "approved",
            "rejectReason": None,
            "reasonCode": None,
            "reasonText": None,
            "createdAtIso": "2026-01-31T09:30:00.000Z",
            "decidedAtIso": "2026-01-31T09:31:00.000Z",
            "hasReceipt": True,
        }
    ]
    assert records["activity"] == [
        {
            "action": "approve submission",
            "subject": f"Ann ({visitor.address})",
            "createdAtIso": "2026-01-31T09:31:00.000Z",
        }
    ]
    assert records["listings"] == [
        {"name": "Ann", "joinedAtIso": "2026-01-31T09:31:00.000Z", "leftAtIso": None}
    ]
    assert records["observedBalance"] == {
        "amount": Decimal("0.1"),
        "observedAtIso": "2026-01-31T09:31:00.000Z",
        "days": 1,
    }
    assert records["enteredBalance"]["amount"] == Decimal("18446744073709551615.000000001")


def test_holder_sees_the_owners_entry_even_if_it_is_hidden(world):
    visitor, tag = Visitor(), world.add_tag("whale")
    world.track(visitor.address, alias="Suspect", tag_names=["whale"], is_hidden=True)

    records = show(world, visitor)

    assert records["listed"]["publicAlias"] == "Suspect"
    assert records["listed"]["hideFromPublic"] is True
    assert records["listed"]["addedBy"] == "owner"
    assert records["listed"]["tags"] == [{"id": tag.id, "name": "whale", "color": "green"}]
    assert [one["action"] for one in records["activity"]] == ["add wallet"]


def test_nothing_about_others_sessions_or_actors_is_shown(world):
    visitor, other = with_session(world), with_session(world)
    for each in (visitor, other):
        world.submit(each, "Ann")
    world.track(Visitor().address, alias=f"Not {visitor.address}")
    elsewhere = world.make_page()
    world.track(visitor.address, page_id=elsewhere, alias="Elsewhere")

    text = world.show_records(visitor).text

    session_id = Submission.get(Submission.wallet_address == visitor.address).session_id
    for secret in (other.address, session_id, "command line", "Not ", "Elsewhere"):
        assert secret not in text


@pytest.mark.parametrize("state", [{"is_public": False}, {"is_embeddable": False}])
@pytest.mark.parametrize("action", ACTIONS)
def test_right_does_not_end_when_the_page_is_closed(world, state, action):
    visitor = Visitor()
    world.submit(visitor)
    world.configure(**state)

    body = world.sign_for_records(visitor, action)

    assert code_of(world.post_for_records(action, body)) is None


# What a signature serves for


@pytest.mark.parametrize("action", ACTIONS)
def test_signed_request_works_once(world, action):
    visitor = Visitor()
    world.submit(visitor)
    before = world.dump()
    body = world.sign_for_records(visitor, action)
    assert world.dump() == before

    codes = [code_of(world.post_for_records(action, body)) for _ in range(3)]

    assert codes == [None, "invalid_nonce", "invalid_nonce"]


@pytest.mark.parametrize(("asked", "used"), [ACTIONS, ACTIONS[::-1]])
def test_signature_for_one_action_does_not_serve_for_the_other(world, asked, used):
    visitor = Visitor()
    world.submit(visitor)
    before = world.dump()

    answer = world.post_for_records(used, world.sign_for_records(visitor, asked))

    assert code_of(answer) == "nonce_binding_mismatch"
    assert world.dump() == before


@pytest.mark.parametrize(("asked", "used"), [ACTIONS, ACTIONS[::-1]])
def test_signature_over_the_other_actions_message_is_refused(world, asked, used):
    """As if a hostile site showed the message that was harmless."""
    visitor = Visitor()
    signed = world.ask_record_nonce(visitor, asked).json["message"]

    body = world.sign_for_records(visitor, used, signature=visitor.sign(signed))

    assert code_of(world.post_for_records(used, body)) == "invalid_signature"
    draft = world.draft(visitor, nonce=world.ask_record_nonce(visitor, asked).json)
    assert code_of(world.post(draft)) == "invalid_nonce"


@pytest.mark.databases("sqlite", "postgres")
def test_used_nonces_are_forgotten_when_they_could_not_be_used_any_more(world):
    body = world.sign_for_records(Visitor(), "show")
    world.post_for_records("show", body)
    world.clock.forward(days=1, minutes=9, seconds=59)
    assert used_nonces.prune(world.clock()) == 0
    world.clock.forward(seconds=1)
    assert used_nonces.prune(world.clock()) == 1

    assert not UsedNonce.select().exists()
    assert code_of(world.post_for_records("show", body)) == "invalid_nonce"


# Limits


@pytest.mark.in_process
def test_requests_of_a_session_are_limited_apart_from_its_submissions(world_with):
    world = world_with(LIMIT_SESSION_SUBMISSIONS="2/hour")
    visitor = with_session(world)

    codes = [code_of(world.show_records(visitor, cookie=visitor.cookie)) for _ in range(2)]
    codes.append(code_of(world.withdraw(visitor, cookie=visitor.cookie)))

    assert codes == [None, None, "rate_limit_session"]
    assert code_of(world.submit(visitor)) is None
