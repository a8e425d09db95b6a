"""flask webhooks and flask channels."""

import json
from contextlib import ExitStack

import pytest
from standardwebhooks import Webhook
from support.receivers import run_http_receiver, run_mail_server

from embed.db.models import Receiver
from embed.domain import times
from embed.events.messages import MESSAGE_TYPES

pytestmark = pytest.mark.slow

HOOK = "https://example.com/hook-that-is-secret"
DISCORD = ("discord", "--webhook-url", "https://discord.com/api/webhooks/4174216298/JHMHI8qBe7")


@pytest.fixture
def http_receiver():
    with run_http_receiver() as receiver:
        yield receiver


@pytest.fixture
def open_world(world_with):
    world = world_with(ALLOW_PRIVATE_TARGETS="1")
    world.clock.now = times.now()
    return world


def run(world, *arguments: str, exit_code: int = 0):
    result = world.app.test_cli_runner().invoke(args=arguments)
    assert result.exit_code == exit_code, result.output
    return result


def run_json(world, *arguments: str, exit_code: int = 0):
    return json.loads(run(world, *arguments, "--json", exit_code=exit_code).stdout)


def test_webhook_is_added_listed_rotated_and_removed(world):
    added = run_json(world, "webhooks", "add", world.page_id, HOOK, "--event", "submission.created")
    assert added["secret"].startswith("whsec_")
    assert added["publicKey"].startswith("whpk_")
    assert added["events"] == ["submission.created"]
    assert added["target"] == "https://example.com/…"

    (listed,) = run_json(world, "webhooks", "list", world.page_id)
    assert listed == {name: value for name, value in added.items() if name != "secret"}

    rotated = run_json(world, "webhooks", "rotate", added["id"])
    assert rotated["secret"] not in (added["secret"], None)
    assert rotated["publicKey"] == added["publicKey"]

    removed = run_json(world, "webhooks", "remove", added["id"])
    assert removed == listed
    assert run_json(world, "webhooks", "list", world.page_id) == []


def test_channel_is_added_listed_and_removed(world):
    added = run_json(world, "channels", "add", world.page_id, *DISCORD)
    assert (added["target"], added["service"]) == ("Discord (discord.com)", "discord")
    assert set(added["events"]) < set(MESSAGE_TYPES)
    assert run_json(world, "channels", "list", world.page_id) == [added]
    assert run_json(world, "channels", "remove", added["id"]) == added
    assert Receiver.select().count() == 0


def test_people_read_them_without_secrets(world):
    run(world, "webhooks", "add", world.page_id, HOOK)
    run(world, "channels", "add", world.page_id, *DISCORD)

    shown = run(world, "webhooks", "list", world.page_id).output
    shown += run(world, "channels", "list", world.page_id).output
    assert "https://example.com/…" in shown
    assert "secret" not in shown
    assert "JHMHI8" not in shown


def test_webhook_is_tested_at_once(open_world, http_receiver):
    added = run_json(open_world, "webhooks", "add", open_world.page_id, http_receiver.url)
    tested = run_json(open_world, "webhooks", "test", added["id"])

    (received,) = http_receiver.received
    body = Webhook(added["secret"]).verify(received.body, received.headers)
    assert body["type"] == "test"
    assert (tested["id"], tested["state"], tested["answer"]) == (
        received.id,
        "delivered",
        "204 No Content",
    )


def test_test_that_fails_shows_the_answer_and_exits_with_1(open_world, http_receiver):
    added = run_json(open_world, "webhooks", "add", open_world.page_id, http_receiver.url)
    http_receiver.statuses = [500, 500]

    assert run_json(open_world, "webhooks", "test", added["id"], exit_code=1)["state"] == "given_up"
    failed = run(open_world, "webhooks", "test", added["id"], exit_code=1)
    assert "Error: The test message was not delivered: 500 Internal Server Error." in failed.stderr


def test_channel_is_tested_at_once(world_with):
    with ExitStack() as servers:
        mailbox = servers.enter_context(run_mail_server())
        world = world_with(SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}")
        added = run_json(world, "channels", "add", world.page_id, "ann@example.com")
        assert added["target"] == "ann@example.com"

        assert run_json(world, "channels", "test", added["id"])["answer"] == "sent"
        assert [message["Subject"] for message in mailbox.messages] == [
            "Test message from USD Coin"
        ]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "said"),
    [
        (("webhooks", "add", "PAGE", "http://10.0.0.1/"), 1, "ALLOW_PRIVATE_TARGETS"),
        (("webhooks", "add", "PAGE", HOOK, "--event", "nonsense"), 2, "nonsense"),
        (("webhooks", "add", "nowhere", HOOK), 1, "There is no tracking page nowhere."),
        (("webhooks", "test", "nowhere"), 1, "There is no webhook nowhere."),
        (("webhooks", "rotate", "nowhere"), 1, "There is no webhook nowhere."),
        (("channels", "add", "PAGE", "ann@example.com"), 1, "SMTP_URL"),
        (("channels", "add", "PAGE", "syslog://"), 1, "through a webhook"),
        (("channels", "remove", "nowhere"), 1, "There is no channel nowhere."),
    ],
)
def test_mistakes_are_one_line(world, arguments, exit_code, said):
    given = [world.page_id if each == "PAGE" else each for each in arguments]
    failed = run(world, *given, exit_code=exit_code)

    assert said in failed.stderr
    assert len(failed.stderr.splitlines()) == 1
    assert failed.stdout == ""


def test_owner_is_made_with_a_language(world):
    made = run_json(world, "owners", "create", "ann@example.com", "--language", "de")

    assert made["language"] == "de"
    run(world, "owners", "create", "bob@example.com", "--language", "xx", exit_code=2)


def test_channel_is_let_decide_when_it_is_added_and_afterwards(world):
    quiet = run_json(world, "channels", "add", world.page_id, *DISCORD)
    added = run_json(world, "channels", "add", world.page_id, *DISCORD, "--may-decide")
    assert (quiet["mayDecide"], added["mayDecide"]) == (False, True)

    assert run_json(world, "channels", "update", quiet["id"], "--may-decide")["mayDecide"]
    assert not run_json(world, "channels", "update", added["id"], "--no-may-decide")["mayDecide"]

    run(world, "channels", "update", added["id"], exit_code=2)
    run(world, "channels", "update", "x", "--may-decide", exit_code=1)
    webhook = run_json(world, "webhooks", "add", world.page_id, HOOK)
    assert "mayDecide" not in webhook
    run(world, "channels", "update", webhook["id"], "--may-decide", exit_code=1)
