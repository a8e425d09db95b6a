"""Withdrawing while something else happens to the same wallet."""

from collections.abc import Callable
from functools import partial

import pytest
from support.remote import race
from support.world import Visitor, code_of

from embed import pages
from embed.db.models import Submission, UsedNonce, Wallet, Withdrawal
from embed.errors import ApiError
from embed.keys import access
from embed.notifications import delivery, webhooks
from embed.notifications.targets import Outcome
from embed.runtime import EXTENSION
from embed.schemas import RecordNonceRequest, WithdrawnWallet
from embed.submissions import records
from embed.submissions.withdrawal import withdraw

pytestmark = pytest.mark.databases("sqlite", "postgres")

ROUNDS = 4


@pytest.fixture
def runtime(world):
    return world.app.extensions[EXTENSION]


@pytest.fixture
def sign(world, runtime):
    """Submit a new visitor's wallet, and have its withdrawal signed.

    ``submission_id, withdraw_it = sign(visitor)``
    """

    def make(visitor: Visitor) -> tuple[str, Callable[[], WithdrawnWallet]]:
        answer = world.submit(visitor, "Ann")
        assert code_of(answer) is None
        wanted = RecordNonceRequest(
            tracking_page_id=world.page_id, wallet_address=visitor.address, action="withdraw"
        )
        found = access.find_access(world.public_key)
        _, nonce = records.issue_record_nonce(
            wanted, runtime=runtime, access=found, host="localhost"
        )
        return answer.json["submissionId"], partial(withdraw, nonce, runtime)

    return make


def test_one_nonce_withdraws_once(sign):
    _, withdraw_it = sign(Visitor())

    outcomes = race(*[withdraw_it] * 8)

    withdrawn = WithdrawnWallet(withdrawn_submissions=1, left_list=False, stays_listed=False)
    assert (outcomes.count(withdrawn), outcomes.count("invalid_nonce")) == (1, 7)
    assert Withdrawal.select().count() == 1


def test_approval_at_the_same_time_puts_nothing_back(world, sign):
    for _ in range(ROUNDS):
        visitor = Visitor()
        submission_id, withdraw_it = sign(visitor)

        race(withdraw_it, partial(world.approve, submission_id))

        assert Submission.get_or_none(Submission.wallet_address == visitor.address) is None
        assert Wallet.get_or_none(Wallet.address == visitor.address) is None
        assert Withdrawal.get_or_none(Withdrawal.submission_id == submission_id)


def test_undo_at_the_same_time_leaves_no_nameless_submission_waiting(world, sign):
    for _ in range(ROUNDS):
        submission_id, withdraw_it = sign(Visitor())
        world.reject(submission_id)

        race(withdraw_it, partial(world.undo, submission_id))

        left = Submission.get_or_none(Submission.id == submission_id)
        assert left is None or left.status == "rejected"


def test_new_submission_at_the_same_time_is_kept_or_a_duplicate(world, sign):
    for _ in range(ROUNDS):
        visitor = Visitor()
        first, withdraw_it = sign(visitor)
        world.clock.forward(milliseconds=1)
        draft = world.draft(visitor, "Ann again")

        _, code = race(withdraw_it, lambda draft=draft: code_of(world.post(draft)))

        left = list(Submission.select().where(Submission.wallet_address == visitor.address))
        assert first not in [one.id for one in left]
        assert code in (None, "duplicate")
        assert [one.nickname for one in left] == ([] if code else ["Ann again"])


def test_page_that_is_deleted_or_purged_meanwhile_is_told(world, sign):
    _, withdraw_it = sign(Visitor())

    for end in (world.delete_page, partial(pages.purge_page, world.page_id)):
        end()
        with pytest.raises(ApiError, match="page_not_found"):
            withdraw_it()
    assert not UsedNonce.select().exists()


# Messages on their way


def test_delivery_of_an_erased_message_ends_and_the_next_is_sent(
    world, runtime, webhook, sign, monkeypatch
):
    _, withdraw_it = sign(Visitor())
    sent = []

    def send(receiver, message, settings, now):
        if not sent:
            withdraw_it()  # while the first message is on its way
        sent.append(message.type)
        return Outcome(True, "200 OK")

    monkeypatch.setattr(webhooks, "send", send)
    for _ in range(2):  # on a busy machine, a receiver's turn may end between the two
        delivery.deliver(webhook.id, runtime)

    assert sent == ["submission.created", "submission.withdrawn"]
    assert delivery.find_due_receivers(world.clock()) == []


def test_deliveries_and_withdrawals_do_not_block_each_other(
    world, runtime, webhook, sign, monkeypatch
):
    """On Postgres, both change several deliveries of one receiver."""
    monkeypatch.setattr(webhooks, "send", lambda *_: Outcome(True, "200 OK"))
    signed = [sign(Visitor()) for _ in range(4)]
    for submission_id, _ in signed:
        world.reject(submission_id)

    race(*[each for _, each in signed], partial(delivery.deliver, webhook.id, runtime))
    delivery.deliver(webhook.id, runtime)

    assert Withdrawal.select().count() == 4
    assert delivery.find_due_receivers(world.clock()) == []
