"""The outbox: a message exists if and only if the change does."""

import json
import os
import signal
import subprocess
import sys
from decimal import Decimal
from functools import partial

import pytest
from support.servers import PROJECT_DIR
from support.world import SECRET_KEY, Visitor

from embed.db.connection import db
from embed.db.models import Delivery, Message, Receiver, Submission, Wallet
from embed.domain.policy import is_filling
from embed.domain.reasons import parse_reason
from embed.events.editing import editing
from embed.events.kinds import HoldingFacts
from embed.notifications.delivery import find_due_receivers
from embed.serializers import describe_submission_for_owner

pytestmark = pytest.mark.databases("sqlite", "postgres")


def add_receiver(world, *event_types: str, page_id=None) -> Receiver:
    return Receiver.create(
        page=page_id or world.page_id,
        kind="channel",
        target="json://192.0.2.1",
        event_types=event_types,
        created_at=world.clock(),
    )


def read_messages(receiver=None) -> list[tuple[str, dict]]:
    """Return type and data of the messages that wait, oldest first."""
    query = Delivery.select(Delivery, Message).join(Message).order_by(Message.number)
    if receiver is not None:
        query = query.where(Delivery.receiver == receiver)
    return [(each.message.type, json.loads(each.message.data)) for each in query]


def test_pending_submission_is_told_where_there_is_a_receiver(world):
    add_receiver(world, page_id=world.make_page())
    world.submit(Visitor())
    assert Message.select().count() == 0

    add_receiver(world)
    world.submit(Visitor(), "Ann")

    submission = Submission.get(Submission.nickname == "Ann")
    told = describe_submission_for_owner(submission) | {"trackingPageId": world.page_id}
    assert read_messages() == [("submission.created", told)]
    assert told["status"] == "pending"


def test_decisions_are_told_as_the_submission_is_then(world):
    one, two = (world.submit(Visitor()).json["submissionId"] for _ in range(2))
    add_receiver(world)
    world.approve(one)
    world.reject(two, reason=parse_reason("Too new."))
    world.undo(two)

    told = [
        (message_type, data["id"], data["status"], data["rejectReason"], data["reasonText"])
        for message_type, data in read_messages()
    ]
    assert told == [
        ("submission.decided", one, "approved", None, None),
        ("submission.decided", two, "rejected", "manual", "Too new."),
        ("submission.decided", two, "pending", None, None),
    ]


def test_flagged_wallet_is_told_with_exact_amounts_and_one_that_recovered_is_not(world):
    add_receiver(world)
    wallet = Wallet.get_by_id(world.track(Visitor().address, alias="Whale").id)
    amounts = Decimal("18446744073.709551615"), Decimal("1E-7")
    facts = partial(HoldingFacts, wallet.id, wallet.address, wallet.public_alias, *amounts)
    with editing(world.page_id, world.change("holding watch")) as edit:
        edit.log("flag wallet", facts(hidden=True))
        edit.log("unflag wallet", facts())

    (message,) = Message.select()
    assert message.type == "wallet.flagged"
    assert '"tokenBalance":18446744073.709551615,"minBalance":0.0000001' in message.data
    assert json.loads(message.data)["hidden"] is True


# The queue fills


def list_fillings() -> list[int]:
    return [data["pending"] for kind, data in read_messages() if kind == "queue.filling"]


def test_queue_that_fills_is_told_once_until_it_was_emptier(world):
    add_receiver(world)
    world.configure(queue_capacity=5)
    ids = [world.submit(Visitor()).json["submissionId"] for _ in range(5)]
    assert list_fillings() == [4]

    world.reject(ids[0])  # 4 wait
    world.submit(Visitor())
    assert list_fillings() == [4]

    world.reject(ids[1])
    world.reject(ids[2])  # 3 wait
    world.submit(Visitor())
    assert list_fillings() == [4, 4]


@pytest.mark.parametrize(
    ("capacity", "filling"), [(0, []), (1, [1]), (2, [2]), (5, [4]), (7, [6]), (100, [80])]
)
def test_queue_fills_at_four_fifths(capacity, filling):
    assert [count for count in range(1, 120) if is_filling(count, capacity)] == filling


# A kill

DECIDE_AND_DIE = """
import os, signal, sys
from functools import partial
from embed.db.connection import open_database
from embed.domain.times import now
from embed.events.editing import COMMAND_LINE, Change
from embed.settings import Settings
from embed.submissions import decisions
settings = Settings.from_environ(os.environ)
open_database(settings.database_url)
change = Change(COMMAND_LINE, now(), settings)
decisions.decide_one(sys.argv[1], partial(decisions.reject, change=change))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_kill_between_a_change_and_its_delivery_loses_nothing(world, environ):
    receiver = add_receiver(world)
    submission_id = world.submit(Visitor()).json["submissionId"]
    db.close()

    killed = subprocess.run(
        [sys.executable, "-c", DECIDE_AND_DIE, submission_id],
        env=os.environ | environ | {"SECRET_KEY": SECRET_KEY},
        cwd=PROJECT_DIR,
        timeout=60,
        check=False,
    )

    assert killed.returncode == -signal.SIGKILL
    assert [message_type for message_type, _ in read_messages(receiver)] == [
        "submission.created",
        "submission.decided",
    ]
    assert find_due_receivers(world.clock()) == [receiver.id]
