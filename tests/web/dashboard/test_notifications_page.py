"""The page Notifications: channels and webhooks, added, tested, changed and removed."""

import logging
import re

import pytest
from receiving import add_channel, add_webhook, deliver, give_up, path_of, tell
from support.channel_fields import FIELDS
from support.owner_browser import read_text
from support.world import read_log

from embed.db.models import Delivery, Receiver
from embed.domain.concurrency import ConcurrencyLimit
from embed.events.messages import MESSAGE_TYPES, TEST
from embed.notifications.channels import SERVICES
from embed.notifications.receivers import CHANNEL_TYPES
from embed.notifications.webhooks import read_public_key
from embed.outbound import Client, RequestFailed
from embed.web.dashboard.filters import MESSAGES, STATES

pytestmark = pytest.mark.slow


@pytest.fixture
def environ(environ) -> dict[str, str]:
    return environ | {"ALLOW_PRIVATE_TARGETS": "1"}  # receivers on this machine


def send_form(owner, service: str, **fields: str):
    types = {"event_types": ["queue.filling"]}
    return owner.post(path_of(owner.world), service=service, **types, **fields)


def find_secrets(answer) -> set[str]:
    return set(re.findall(r"whsec_[A-Za-z0-9+/=]+", answer.text.replace("&#43;", "+")))


def test_nothing_shows_more_of_a_channel_than_service_and_host(world, owner, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.INFO, logger="peewee")
    channels = [add_channel(world, service) for service in FIELDS]
    tell(world)

    def fail(*_, **__):
        raise RequestFailed("the connection failed")

    monkeypatch.setattr(Client, "request", fail)
    for channel in channels:
        deliver(world, channel)

    paths = [path_of(world), f"/dashboard/pages/{world.page_id}/activity"]
    paths += [path_of(world, one.id, end) for one in channels for end in ("deliveries", "remove")]
    listed = world.app.test_cli_runner().invoke(args=["channels", "list", world.page_id])
    shown = "\n".join([*(owner.get(path).text for path in paths), listed.output, caplog.text])
    for fields in FIELDS.values():
        assert not [value for value in fields.values() if value.rpartition("/")[2] in shown]


def test_form_offers_every_type_and_proposes_the_usual_ones(world, owner):
    boxes = re.findall(r'<input [^>]*type="checkbox" value="[^"]+"', owner.get(path_of(world)).text)
    offered = [
        (re.search('value="(.*)"', one)[1], "checked" in one)
        for one in boxes
        if "event_types" in one
    ]

    assert offered == [(one, one in CHANNEL_TYPES) for one in MESSAGE_TYPES]
    assert set(MESSAGES) == {*MESSAGE_TYPES, TEST}
    assert set(STATES) == set(Delivery.state.words)


@pytest.mark.parametrize("service", FIELDS)
def test_each_service_is_offered_with_its_fields(world, owner, service):
    form = owner.get(path_of(world)).text
    assert re.search(rf'type="radio" value="{service}"', form)
    assert "This service can't send email yet" in form
    assert all(f'name="{field}"' in form for field in SERVICES[service].__struct_fields__)

    assert send_form(owner, service, **FIELDS[service]).status_code == 303
    channel = Receiver.get()
    assert (channel.kind, channel.event_types) == ("channel", ("queue.filling",))
    text = owner.see(path_of(world))
    assert "Queue almost full · Nothing has been sent yet." in text
    assert "No longer supported" not in text
    assert owner.post(path_of(world, channel.id, "secret")).status_code == 404
    for field in FIELDS[service]:
        answer = send_form(owner, service, **FIELDS[service] | {field: ""})
        assert (answer.status_code, f'id="{field}-wrong"' in answer.text) == (422, True)
    Receiver.update(target="pover://hunter2@token").execute()
    text = owner.see(path_of(world))
    assert "pover://… No longer supported: use a webhook." in text
    assert "hunter2" not in text


@pytest.mark.parametrize("service", ["slack", "telegram"])
def test_chats_address_among_webhooks_is_offered_as_a_channel(world, owner, service):
    fields = FIELDS[service]
    bot = "https://api.telegram.org/bot{bot_token}/sendMessage?chat_id={chat_id}"
    url = fields.get("webhook_url") or bot.format(**fields)

    answer = send_form(owner, "webhook", target=url)

    assert answer.status_code == 422
    assert f"where webhooks don't work. Choose {service.title()} instead." in read_text(answer)
    assert re.search(rf'checked[^>]* type="radio" value="{service}"', answer.text)
    assert all(f'value="{value}"' in answer.text for value in fields.values())


# A webhook's secret


def test_secret_of_a_new_webhook_is_shown_on_the_answer_and_nowhere_again(world, owner):
    answer = send_form(owner, "webhook", target="https://hooks.example/secret-path")

    assert answer.status_code == 201
    webhook = Receiver.get()
    assert find_secrets(answer) == {webhook.secret}
    assert webhook.secret not in str(answer.headers)
    for more in ([], [webhook.id, "secret"], [webhook.id, "deliveries"]):
        assert not re.search("whsec_|whsk_|secret-path", owner.get(path_of(world, *more)).text)
    assert read_public_key(webhook.signing_key) in owner.see(path_of(world))


def test_new_secret_says_first_that_the_old_one_signs_as_well(world, owner):
    webhook = add_webhook(world)
    path = path_of(world, webhook.id, "secret")
    assert "For 24 hours, messages are also signed with the current secret" in owner.see(path)
    assert Receiver.get().secret == webhook.secret
    world.clock.forward(seconds=1)

    answer = owner.post(path)

    assert answer.status_code == 201
    rotated = Receiver.get()
    assert find_secrets(answer) == {rotated.secret}
    assert rotated.secret != webhook.secret == rotated.previous_secret
    until = "also signed with the previous secret until Feb 1, 2026, 9:30 AM UTC"
    assert until in owner.see(path_of(world))
    assert "If you continue, that stops at once." in owner.see(path)
    world.clock.forward(seconds=9)
    owner.post(path)  # pressed once more
    assert Receiver.get().secret == rotated.secret


# Removing and testing


def test_removing_asks_first_and_takes_what_waits_along(world, owner):
    path = path_of(world, add_webhook(world).id, "remove")
    tell(world)

    assert "1 message is waiting for it and won't be sent." in owner.see(path)
    assert Receiver.select().count() == 1
    world.clock.forward(seconds=1)
    assert owner.post(path).status_code == 303

    assert Receiver.select().count() == Delivery.select().count() == 0
    assert read_log(world.page_id)[0].action == "remove receiver"
    assert owner.post(path).status_code == 404


def test_test_is_sent_at_once_and_answered_in_the_row(world, owner, http_receiver, monkeypatch):
    webhook = add_webhook(world, http_receiver.url)
    http_receiver.statuses = [204, 500]

    answer = owner.post(path_of(world, webhook.id, "test"))

    assert b'"type":"test"' in http_receiver.received[0].body
    assert answer.location.endswith(f"{path_of(world)}?tested={webhook.id}#{webhook.id}")
    assert "Test: delivered, 204 No Content" in owner.see(answer.location)
    world.clock.forward(seconds=1)
    owner.post(path_of(world, webhook.id, "test"))
    text = owner.see(answer.location)
    assert "Test: failed, 500 Internal Server Error" in text
    assert "couldn't be delivered" not in text  # as no message was lost
    # Few run at once, so that slow receivers hold up nobody.
    monkeypatch.setattr("embed.web.dashboard.receivers._testing", ConcurrencyLimit(0))
    assert owner.post(path_of(world, webhook.id, "test")).status_code == 429


# How deliveries go


def test_what_was_given_up_is_at_the_top_and_noticed_on_queue_and_overview(world, owner):
    webhook, channel = add_webhook(world), add_channel(world)
    for _ in range(6):
        tell(world)
    give_up(world, webhook)
    Delivery.update(state="delivered").where(Delivery.receiver == channel).execute()
    queue, other = (f"/dashboard/pages/{one}/queue" for one in (world.page_id, owner.make_page()))

    text = owner.see(path_of(world))
    assert text.index("6 messages couldn't be delivered") < text.index("Where messages go")
    assert "https://hooks.example/… failed: 6" in text
    assert text.count("failed: 6") == 1
    assert "6 messages couldn't be delivered." in owner.see(queue)
    assert "6 messages of \u2068$USDC\u2069 couldn't be delivered" in owner.see("/dashboard/")
    assert "couldn't be delivered" not in owner.see(other)
    Delivery.update(state="delivered").execute()
    for path in (queue, "/dashboard/", path_of(world)):
        assert "couldn't be delivered" not in owner.see(path)
