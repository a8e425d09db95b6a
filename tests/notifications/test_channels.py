"""Channels: what may be added, how it is shown, what arrives, and what becomes of failures."""

import json
import logging
import socket
from datetime import timedelta

import pytest
from support.channel_fields import FIELDS
from support.raw_server import repeat, send, serve_raw, trickle, wait
from support.receivers import queue_test, run_http_receiver

from embed import outbound
from embed.db.models import Receiver
from embed.errors import InvalidInput
from embed.notifications import targets
from embed.notifications.channels import parse_channel, read_channel
from embed.notifications.delivery import find_due_receivers


def url_of(http_receiver) -> str:
    return f"http://127.0.0.1:{http_receiver.port}"


def read_body(received) -> str:
    return json.loads(received.body)["message"]


# What may be added


@pytest.fixture
def settings(app, runtime):
    return runtime.settings


@pytest.mark.parametrize("service", FIELDS)
def test_fields_of_each_service_are_kept_and_shown_without_secrets(settings, service):
    spaced = {name: f" {value} " for name, value in FIELDS[service].items()}
    target = parse_channel(service, spaced | {"address": "of another service"}, settings)

    shown = read_channel(target).mask()
    assert shown.lower().startswith(service)
    for name, value in FIELDS[service].items():
        assert json.loads(target)[name] == value
        assert value not in shown
        assert value.rpartition("/")[2] not in shown


@pytest.mark.parametrize(
    ("service", "field", "value"),
    [
        *(("telegram", "bot_token", each) for each in ("", "abc", "1:a/../b12345678", "1:abc\n")),
        *(("telegram", "chat_id", each) for each in ("", "me", "-1:2", "@a", "@name/x")),
        ("discord", "webhook_url", "ftp://a.example/"),
        ("slack", "webhook_url", "https://u:p@a.example/"),
        *(("ntfy", "server", each) for each in ("ntfy.sh", "https://ntfy.sh/topic")),
        *(("ntfy", "topic", each) for each in ("", "a/b", "a" * 65, "é", "a\0")),
        *(("ntfy", "access_token", each) for each in ("a b", "a\r\nX-Key: b", "é", "a" * 201)),
        *(("email", "address", each) for each in ("", "ann@127.0.0.1", "a@b.c, d@e.fr")),
        ("email", "address", "ann@example.com\r\nBcc: bob@example.com"),
        ("syslog", "service", ""),
    ],
)
def test_what_is_no_channel_is_refused_beside_its_field(settings, service, field, value):
    with pytest.raises(InvalidInput) as refusal:
        parse_channel(service, FIELDS.get(service, {}) | {field: value}, settings)

    assert refusal.value.field == field
    assert len(value) < 8 or value not in str(refusal.value)


@pytest.mark.parametrize(("service", "field"), [("ntfy", "server"), ("discord", "webhook_url")])
def test_target_inside_the_network_is_refused_when_it_is_added(settings, service, field):
    with pytest.raises(InvalidInput, match="ALLOW_PRIVATE_TARGETS"):
        parse_channel(service, {"topic": "topic", field: "https://[::1]:80"}, settings)


def test_mail_address_needs_a_mail_server(settings):
    with pytest.raises(InvalidInput, match="can't send email yet"):
        parse_channel("email", {"address": "ann@example.com"}, settings)


@pytest.mark.parametrize(
    ("target", "masked"), [("pover://hunter2@token", "pover://…"), ("{}", "…")]
)
def test_channel_of_a_service_that_left_is_listed_and_never_tried(owner, target, masked):
    channel = Receiver.create(
        page=owner.world.page_id, kind="channel", target=target, created_at=owner.world.clock()
    )
    owner.tell()
    owner.deliver(channel)

    assert read_channel(target).mask() == masked
    assert owner.list_states(channel) == [("given_up", 1, "no longer supported: use a webhook")]


# Delivery


def test_all_that_waits_is_one_message_a_minute(owner, http_receiver):
    channel = owner.add_channel(url_of(http_receiver))
    for number in range(500):
        owner.tell_of_submission(f"Visitor {number}")

    owner.deliver(channel)
    owner.tell_of_submission("Late")
    owner.deliver(channel)

    assert len(http_receiver.received) == 1
    assert "New submissions to review: 500 (Visitor 0, Visitor 1" in read_body(
        http_receiver.received[0]
    )
    now = owner.world.clock()
    assert find_due_receivers(now + timedelta(seconds=59)) == []
    assert find_due_receivers(now + timedelta(seconds=60)) == [channel.id]
    owner.world.clock.forward(seconds=60)
    owner.deliver(channel)
    assert "New submissions to review: 1 (Late)" in read_body(http_receiver.received[1])
    assert {state for state, *_ in owner.list_states(channel)} == {"delivered"}


def test_failed_channel_is_tried_again_and_gets_what_came_meanwhile_too(owner, http_receiver):
    channel = owner.add_channel(url_of(http_receiver))
    owner.tell_of_submission("Ann")
    http_receiver.statuses = [403, 200]
    owner.deliver(channel)
    assert owner.list_states(channel) == [("waiting", 1, "403 Forbidden")]
    wait_time = owner.read(channel).next_attempt_at - owner.world.clock()
    assert wait_time == timedelta(minutes=1)

    owner.tell_of_submission("Bob")
    owner.world.clock.forward(minutes=1)
    owner.deliver(channel)

    assert "2 (Ann, Bob)" in read_body(http_receiver.received[1])
    assert owner.list_states(channel) == [("delivered", 2, "200 OK"), ("delivered", 1, "200 OK")]


def test_old_part_of_what_waits_is_given_up(owner, http_receiver):
    channel = owner.add_channel(url_of(http_receiver))
    owner.tell_of_submission("Ann")
    owner.world.clock.forward(days=1)
    owner.tell_of_submission("Bob")
    http_receiver.statuses = [500]

    owner.deliver(channel)

    assert [state for state, *_ in owner.list_states(channel)] == ["given_up", "waiting"]


def test_test_is_a_message_of_its_own(owner, http_receiver):
    channel = owner.add_channel(url_of(http_receiver))
    owner.tell_of_submission("Ann")
    queue_test(channel, owner.world.clock())

    owner.deliver(channel)
    owner.world.clock.forward(minutes=1)
    owner.deliver(channel)

    first, second = http_receiver.received
    assert json.loads(first.body)["title"] == "Test message from USD Coin"
    assert "Ann" in read_body(second)


@pytest.mark.parametrize("service", FIELDS)
def test_each_service_is_sent_what_its_interface_asks_for(owner, sent, service):
    channel = owner.add_channel(service)
    owner.tell(
        "wallet.flagged",
        publicAlias="@everyone <!channel> [x](https://evil.example) <b>x</b>",
        address="EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    )
    owner.deliver(channel)

    (one,) = sent
    assert one.url == {
        "telegram": "https://api.telegram.org/bot123456789:abcdefg_hijklmnop/sendMessage",
        "ntfy": "https://ntfy.sh",
    }.get(service, FIELDS[service].get("webhook_url"))
    text = json.dumps(one.content)
    assert "Wallets below the minimum balance" in text
    for harmful in ("@everyone", "<!channel>", "evil.example", "](", "<b>x"):
        assert harmful not in text
    expected = {
        "telegram": {"chat_id": "-12315544", "parse_mode": "HTML"},
        "discord": {"allowed_mentions": {"parse": []}},
        "slack": {"unfurl_links": False},
        "ntfy": {"topic": "my-secret-topic", "title": "News about USD Coin"},
    }[service]
    assert expected.items() <= one.content.items()
    assert owner.list_states(channel) == [("delivered", 1, "200 OK")]


# Servers that misbehave


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (wait, "timed out"),
        (trickle(HEAD + b"X: ", 0.05), "timed out"),
        (repeat(HEAD + b"\r\n", bytes(1000)), "the answer is larger than 65,536 bytes"),
        (repeat(HEAD, b"X: " + b"x" * 1000 + b"\r\n"), "the answer is larger than 65,536 bytes"),
        (send(b"hello\r\n\r\n"), "the connection failed"),
        (send(b"HTTP/1.1 503 \r\nContent-Length: 0\r\n\r\n"), "503 Service Unavailable"),
        (send(b"HTTP/1.1 599 Odd\r\nContent-Length: 0\r\n\r\n"), "599"),
    ],
)
def test_answer_that_is_no_success_is_a_failure_in_words_and_in_time(
    owner, monkeypatch, answer, reason
):
    monkeypatch.setattr(targets, "TIMEOUT_S", 0.5 if reason == "timed out" else 5)
    with serve_raw(answer) as port:
        assert owner.send_to(f"http://127.0.0.1:{port}") == reason


def test_redirect_of_a_channel_does_not_lead_inside(owner_with, http_receiver, monkeypatch):
    owner = owner_with()
    with run_http_receiver() as public:
        # One name of this machine is taken for a public address.
        monkeypatch.setattr(outbound, "is_allowed", lambda ip, reach: ip == "127.0.0.1")
        monkeypatch.setattr(targets, "_is_private", lambda _: False)
        public.statuses, public.headers = [307], {"Location": http_receiver.url}

        assert owner.send_to(url_of(public)) == "307 Temporary Redirect"
        assert len(public.received) == 1
    assert http_receiver.received == []


def test_name_that_leads_inside_when_it_is_connected_to_reaches_nothing(owner_with, monkeypatch):
    """When the channel was added it may have led elsewhere."""
    owner, met = owner_with(), []
    with serve_raw(met.append, reads_first=False) as port:
        inside = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [inside])

        reason = owner.send_to(f"https://hook.example:{port}")

    assert met == []
    assert "inside the operator's network" in reason


def test_nothing_of_a_target_is_logged(owner, http_receiver, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.INFO, logger="httpcore")  # which no setting makes say more
    channel = owner.add_channel(
        "ntfy", server=url_of(http_receiver), topic="hunter2", access_token="hunter3"
    )
    owner.tell()
    http_receiver.statuses = [500]
    owner.deliver(channel)

    written = "".join(capfd.readouterr()) + "".join(
        record.getMessage() for record in caplog.records if record.name != "peewee"
    )
    assert "hunter" not in written
    (received,) = http_receiver.received
    assert received.headers["authorization"] == "Bearer hunter3"
