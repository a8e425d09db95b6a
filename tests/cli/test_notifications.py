"""flask webhooks and flask channels."""

import json

import pytest
from standardwebhooks import Webhook
from support.operator import Operator
from support.receivers import run_http_receiver, run_mail_server

from embed.db.models import Receiver
from embed.domain import times
from embed.events.messages import MESSAGE_TYPES

pytestmark = pytest.mark.slow

HOOK = "https://example.com/hook-that-is-secret"
DISCORD = ("discord", "--webhook-url", "https://discord.com/api/webhooks/4174216298/JHMHI8qBe7")


def test_webhook_is_added_listed_rotated_and_removed(world, operator):
    event = ("--event", "submission.created")
    added = operator.show("webhooks", "add", world.page_id, HOOK, *event)
    assert added["secret"].startswith("whsec_")
    assert added["publicKey"].startswith("whpk_")
    assert added["events"] == ["submission.created"]
    assert added["target"] == "https://example.com/…"

    (listed,) = operator.show("webhooks", "list", world.page_id)
    assert listed == {name: value for name, value in added.items() if name != "secret"}

    rotated = operator.show("webhooks", "rotate", added["id"])
    assert rotated["secret"] not in (added["secret"], None)
    assert rotated["publicKey"] == added["publicKey"]

    assert operator.show("webhooks", "remove", added["id"]) == listed
    assert operator.show("webhooks", "list", world.page_id) == []


def test_channel_is_added_listed_and_removed(world, operator):
    added = operator.show("channels", "add", world.page_id, *DISCORD)
    assert (added["target"], added["service"]) == ("Discord (discord.com)", "discord")
    assert set(added["events"]) < set(MESSAGE_TYPES)
    assert operator.show("channels", "list", world.page_id) == [added]
    assert operator.show("channels", "remove", added["id"]) == added
    assert Receiver.select().count() == 0


def test_webhook_is_tested_at_once_and_a_failure_shows_the_answer_and_exits_with_1(world_with):
    world = world_with(ALLOW_PRIVATE_TARGETS="1")
    world.clock.now = times.now()
    operator = Operator(world.app)
    with run_http_receiver() as receiver:
        added = operator.show("webhooks", "add", world.page_id, receiver.url)
        tested = operator.show("webhooks", "test", added["id"])
        receiver.statuses = [500, 500]
        failed = [operator.run("webhooks", "test", added["id"], *how) for how in (["--json"], [])]

    received = receiver.received[0]
    assert Webhook(added["secret"]).verify(received.body, received.headers)["type"] == "test"
    assert (tested["id"], tested["state"]) == (received.id, "delivered")
    assert tested["answer"] == "204 No Content"
    assert [each.exit_code for each in failed] == [1, 1]
    assert json.loads(failed[0].stdout)["state"] == "given_up"
    said = "Error: The test message was not delivered: 500 Internal Server Error."
    assert said in failed[1].stderr


def test_channel_is_tested_at_once(world_with):
    with run_mail_server() as mailbox:
        world = world_with(SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}")
        operator = Operator(world.app)
        added = operator.show("channels", "add", world.page_id, "ann@example.com")
        assert added["target"] == "ann@example.com"

        assert operator.show("channels", "test", added["id"])["answer"] == "sent"
        subjects = [message["Subject"] for message in mailbox.messages]

    assert subjects == ["Test message from USD Coin"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("webhooks add {page} http://10.0.0.1/", "ALLOW_PRIVATE_TARGETS"),
        (f"webhooks add {{page}} {HOOK} --event nonsense", "nonsense"),
        (f"webhooks add nowhere {HOOK}", "There is no tracking page nowhere."),
        ("channels add {page} ann@example.com", "can't send email yet"),
        ("channels add {page} syslog://", "Use a webhook for anything else"),
        ("channels update nowhere", "--may-decide"),
        ("owners create bob@example.com --language xx", "xx"),
    ],
)
def test_mistakes_are_one_line(world, operator, words, said):
    assert said in operator.refuse(*words.format(page=world.page_id).split())


def test_channel_is_let_decide_when_it_is_added_and_afterwards(world, operator):
    quiet = operator.show("channels", "add", world.page_id, *DISCORD)
    added = operator.show("channels", "add", world.page_id, *DISCORD, "--may-decide")
    assert (quiet["mayDecide"], added["mayDecide"]) == (False, True)

    assert operator.show("channels", "update", quiet["id"], "--may-decide")["mayDecide"]
    assert not operator.show("channels", "update", added["id"], "--no-may-decide")["mayDecide"]

    webhook = operator.show("webhooks", "add", world.page_id, HOOK)
    assert "mayDecide" not in webhook
    operator.refuse("channels", "update", webhook["id"], "--may-decide")
