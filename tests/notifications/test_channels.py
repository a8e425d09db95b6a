"""Channels: what may be added, how it is shown, what arrives, and what becomes of failures."""

import json
import logging
import re
import socket
import ssl
import time
from datetime import timedelta

import pytest
from support.certificates import make_certificate
from support.channel_fields import FIELDS
from support.raw_server import repeat, send, serve_raw, trickle, wait
from support.receivers import queue_test, run_http_receiver, run_mail_server

from embed import outbound
from embed.db.models import Receiver
from embed.errors import InvalidInput
from embed.notifications import mail, targets
from embed.notifications.channels import parse_channel, read_channel
from embed.notifications.delivery import find_due_receivers
from embed.notifications.mail import find_sender, read_server


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
        *(("discord", "webhook_url", each) for each in ("", "ftp://a.example/")),
        ("slack", "webhook_url", "https://u:p@a.example/"),
        *(
            ("ntfy", "server", each)
            for each in ("ntfy.sh", "https://ntfy.sh/topic", "https://a/?b")
        ),
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
        publicAlias="@everyone <!channel> [x](https://evil.example)",
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


def send_to(owner, where: str) -> str:
    """Return why a message to a channel there failed."""
    channel = owner.add_channel(where)
    owner.tell()
    started = time.monotonic()
    owner.deliver(channel)
    assert time.monotonic() - started < 10
    ((state, attempts, reason),) = owner.list_states(channel)
    assert (state, attempts) == ("waiting", 1)
    return reason


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (wait, "timed out"),
        (trickle(HEAD + b"X: ", 0.05), "timed out"),
        (repeat(HEAD + b"\r\n", bytes(1000)), "the answer is larger than 65,536 bytes"),
        (repeat(HEAD, b"X: " + b"x" * 1000 + b"\r\n"), "the answer is larger than 65,536 bytes"),
        (
            repeat(HEAD + b"Content-Encoding: gzip\r\n\r\n", bytes(1000)),
            "the answer is larger than 65,536 bytes",
        ),
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
        assert send_to(owner, f"http://127.0.0.1:{port}") == reason


def test_redirect_of_a_channel_does_not_lead_inside(owner_with, http_receiver, monkeypatch):
    owner = owner_with()
    with run_http_receiver() as public:
        # One name of this machine is taken for a public address.
        monkeypatch.setattr(outbound, "is_allowed", lambda ip, reach: ip == "127.0.0.1")
        monkeypatch.setattr(targets, "_is_private", lambda _: False)
        public.statuses, public.headers = [307], {"Location": http_receiver.url}

        assert send_to(owner, url_of(public)) == "307 Temporary Redirect"
        assert len(public.received) == 1
    assert http_receiver.received == []


def test_name_that_leads_inside_when_it_is_connected_to_reaches_nothing(owner_with, monkeypatch):
    """When the channel was added it may have led elsewhere."""
    owner, met = owner_with(), []
    with serve_raw(met.append, reads_first=False) as port:
        inside = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [inside])

        reason = send_to(owner, f"https://hook.example:{port}")

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


# E-mail


def test_mail_address_gets_plain_text_by_the_installations_server(owner_with, mailbox):
    owner = owner_with(
        SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}", PUBLIC_URL="https://embed.example.com"
    )
    channel = owner.add_channel("o'neil@example.com")
    owner.tell_of_submission("Bob")

    owner.deliver(channel)

    assert owner.list_states(channel) == [("delivered", 1, "sent")]
    (message,) = mailbox.messages
    assert message["To"] == "o'neil@example.com"
    assert message["From"] == "Tracking embed <notifications@embed.example.com>"
    assert message["Subject"] == "News about USD Coin"
    assert message["Message-ID"].endswith("@embed.example.com>")
    assert message.get_content_type() == "text/plain"
    dashboard = "https://embed.example.com/dashboard"
    assert re.sub(r"mail/\S+", "mail/…", message.get_content()).splitlines() == [
        "New submissions to review: 1 (Bob)",
        f"Open the queue: {dashboard}/pages/{owner.world.page_id}/queue",
        "",
        "This page's owner entered your address for emails about it.",
        f"To stop them, open this link: {dashboard}/mail/…",
    ]


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
@pytest.mark.parametrize(
    ("given", "state", "reason"),
    [
        ("p%40ss%25w", "delivered", "sent"),
        ("wrong", "waiting", "the mail server refused the sign-in (535)"),
    ],
)
def test_mail_server_may_ask_for_a_password(owner_with, given, state, reason):
    with run_mail_server(user="ann@example.com", password="p@ss%w") as server:
        owner = owner_with(SMTP_URL=f"smtp://ann%40example.com:{given}@127.0.0.1:{server.port}")
        channel = owner.add_channel("bob@example.com")
        owner.tell_of_submission("Cleo")
        owner.deliver(channel)

        ((found, _, answer),) = owner.list_states(channel)
        assert (found, answer.startswith(reason)) == (state, True)
        assert len(server.messages) == (state == "delivered")
        assert all("ann@example.com" in message["From"] for message in server.messages)


def talk(*replies: bytes):
    """Answer each line with the next reply, and then wait."""

    def answer(connection: socket.socket) -> None:
        talk_until(connection, *replies)
        wait(connection)

    return answer


def talk_until(connection: socket.socket, *replies: bytes) -> None:
    for reply in replies:
        connection.sendall(reply)
        connection.recv(1000)


NEEDS_TLS = "; port 465, and any with TLS from the start, needs smtps:// in SMTP_URL"
NO_STARTTLS = "the mail server offers no STARTTLS, or no sign-in"
HELLO, CAN_NOTHING, OK = b"220 hello\r\n", b"250 mail.example\r\n", b"250 OK\r\n"


@pytest.mark.parametrize(
    ("url", "answer", "reason"),
    [
        ("smtp://u:p@mail.example", talk(HELLO, CAN_NOTHING), NO_STARTTLS),
        ("smtp://u:p@localhost", talk(HELLO, CAN_NOTHING), NO_STARTTLS),
        (
            "smtp://localhost",
            talk(HELLO, CAN_NOTHING, OK, b"550 Nobody\r\n", OK),
            "the mail server refused the recipient (550)",
        ),
        (
            "smtp://u:p@localhost",
            talk(HELLO, b"250-mail.example\r\n250 AUTH XOAUTH2\r\n"),
            "the mail server offers no sign-in by password",
        ),
        ("smtp://localhost", talk(b"421 Busy\r\n"), "the mail server answered 421"),
        (
            "smtp://localhost",
            talk(b"HTTP/1.1 400\r\n"),
            "the server at this port isn't a mail server",
        ),
        (
            "smtp://localhost",
            talk(HELLO, CAN_NOTHING, b"530 Sign in\r\n", OK),
            "the mail server refused the sender, or needs a sign-in (530)",
        ),
        ("smtp://localhost", wait, f"timed out{NEEDS_TLS}"),
        ("smtp://localhost", send(), f"the mail server hung up{NEEDS_TLS}"),
        (
            "smtp://localhost",
            lambda connection: talk_until(connection, HELLO, CAN_NOTHING),
            "the mail server hung up",
        ),
        ("smtp://localhost", talk(HELLO, CAN_NOTHING), "timed out"),
        ("smtps://localhost", talk(HELLO), "it does not speak TLS at this port"),
    ],
)
def test_mail_that_is_not_sent_says_why(owner_with, monkeypatch, url, answer, reason):
    monkeypatch.setattr(mail, "TIMEOUT_S", 1)
    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *more, **__: resolve("127.0.0.1", *more))
    with serve_raw(answer, reads_first=False) as port:
        owner = owner_with(SMTP_URL=f"{url}:{port}")
        assert send_to(owner, "ann@example.com") == reason


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("smtp://mail.invalid", "its name could not be resolved"),
        ("smtp://127.0.0.1:1", "the connection was refused"),
    ],
)
def test_mail_server_that_is_not_there_is_told(owner_with, url, reason):
    assert send_to(owner_with(SMTP_URL=url), "ann@example.com") == reason


@pytest.mark.slow  # openssl makes the certificate
@pytest.mark.parametrize("url", ["smtps://mail.example:{}", "smtp://u:p@mail.example:{}"])
def test_mail_server_that_nobody_vouches_for_is_not_trusted(owner_with, tmp_path, monkeypatch, url):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(make_certificate(tmp_path / "both.pem"))
    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *more, **__: resolve("127.0.0.1", *more))

    def answer(connection: socket.socket) -> None:
        if url.startswith("smtp:"):
            talk_until(connection, HELLO, b"250-mail.example\r\n250 STARTTLS\r\n")
            connection.sendall(b"220 go\r\n")
        context.wrap_socket(connection, server_side=True)

    with serve_raw(answer, reads_first=False) as port:
        owner = owner_with(SMTP_URL=url.format(port))
        reason = send_to(owner, "ann@example.com")

    assert reason.startswith("its certificate is not trusted: self-signed")


@pytest.mark.parametrize(
    ("url", "port", "how"),
    [
        ("smtp://mail.example.com", 25, "plain"),
        ("smtp://mail.example.com:587", 587, "STARTTLS"),
        ("smtp://u:p@mail.example.com", 587, "STARTTLS"),
        ("smtp://u:p@mail.example.com:25", 25, "STARTTLS"),
        ("smtp://u:p@localhost:25", 25, "plain"),
        ("smtps://u:p@mail.example.com", 465, "TLS"),
    ],
)
def test_passwords_travel_encrypted(url, port, how):
    server = read_server(url)

    chosen = "TLS" if server.has_tls else "STARTTLS" if server.needs_starttls else "plain"
    assert (server.port, chosen) == (port, how)


@pytest.mark.parametrize(
    ("variables", "sender"),
    [
        ({"SMTP_URL": "smtp://mail.example.com?from=news@example.com"}, "news@example.com"),
        ({"SMTP_URL": "smtp://ann%40example.com:p@mail.example.com"}, "ann@example.com"),
        (
            {"SMTP_URL": "smtp://ann:p@mail.example.com", "PUBLIC_URL": "https://e.example"},
            "notifications@e.example",
        ),
        ({"SMTP_URL": "smtp://ann:p@mail.example.com"}, "notifications@localhost"),
    ],
)
def test_sender_is_named_by_the_address_of_the_server_or_by_our_own(owner_with, variables, sender):
    assert find_sender(owner_with(**variables).runtime.settings) == sender
