"""Channels: what may be added, how it is shown, and what arrives by e-mail and Apprise."""

import json
import logging
import socket
import subprocess
import sys
import time
import zlib
from datetime import timedelta

import pytest
import requests
from support.channel_addresses import is_accepted, list_addresses
from support.raw_server import repeat, send, serve_raw, wait
from support.receivers import run_http_receiver, run_mail_server
from support.servers import PROJECT_DIR
from support.world import Visitor

from embed.errors import InvalidInput
from embed.notifications import channels, delivery_log
from embed.notifications.channels import check_target, mask_target
from embed.notifications.delivery import find_due_receivers
from embed.notifications.mailboxes import build_arguments, find_sender
from embed.notifications.services import ALLOWED
from embed.outbound import guard
from embed.outbound.guard import is_allowed

TOKEN = "JHMHI8qBe7bk2ZwO5U711o3dV_js"
DISCORD = f"discord://4174216298/{TOKEN}"


def json_target(http_receiver) -> str:
    return f"json://127.0.0.1:{http_receiver.port}/hook"


def read_body(received) -> str:
    return json.loads(received.body)["message"]


# What may be added


@pytest.fixture
def settings(app, runtime):
    return runtime.settings


@pytest.mark.parametrize(
    "target",
    [
        DISCORD,
        f"https://discord.com/api/webhooks/4174216298/{TOKEN}",
        "ntfys://ntfy.sh/topic",
        "tgram://123456789:abcdefg_hijklmnop/12315544/",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/general",
        "mailtos://user:password@example.com?to=ann@example.org",
    ],
)
def test_addresses_of_apprise_are_channels(settings, target):
    assert check_target(f" {target} ", settings) == target


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("syslog://", "on the server itself"),
        ("dbus://", "on the server itself"),
        ("windows://", "on the server itself"),
        ("vapid://x", "reads files"),
        ("irc://irc.example.com/news", "not checked here"),
        ("rsyslog://127.0.0.1", "not checked here"),
        ("mqtt://hooks.example/topic", "not checked here"),
        (f"{DISCORD}?template=/etc/passwd", "template"),
        (f"{DISCORD}?TEMPLATE=file:///etc/passwd", "template"),
        (f"https://discord.com/api/webhooks/4174216298/{TOKEN}?template=x", "template"),
        ("tgram://123456789:abcdefg_hijklmnop/1/?template=x", "template"),
        ("slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/general?template=x", "template"),
        ("mailto://u:p@example.com?pgppub=/etc/passwd", "PGP"),
        ("mailto://u:p@example.com?pgp=sign", "PGP"),
        ("mailto://u:p@example.com?wkd=yes", "PGP"),
        ("", "neither"),
        ("ann", "neither"),
        ("nosuchservice://x", "neither"),
        ("file:///etc/passwd", "neither"),
        ("/etc/passwd", "neither"),
        ("https://example.com/", "neither"),
        ("discord://4174216298", "neither"),
        ("json://[::1", "neither"),
        ("ntfys://ntfy.sh/a\nb", "neither"),
        ("ntfys://ntfy.sh/" + "a" * 2000, "neither"),
        ("ann@example.com, bob@example.com", "neither"),
        ("ann@example.com\r\nBcc: bob@example.com", "neither"),
    ],
)
def test_what_is_no_channel_is_refused_with_a_reason(settings, target, reason):
    with pytest.raises(InvalidInput, match=reason) as refusal:
        check_target(target, settings)

    assert TOKEN not in str(refusal.value)


@pytest.mark.parametrize(
    "target",
    [
        "json://10.0.0.1/",
        "ntfy://localhost/topic",
        "jsons://[::1]:80",
        "gotify://127.0.0.1./abcdefghijklmno",
    ],
)
def test_target_inside_the_network_is_refused_when_it_is_added(settings, target):
    with pytest.raises(InvalidInput, match="ALLOW_PRIVATE_TARGETS"):
        check_target(target, settings)


def test_mail_address_needs_a_mail_server(settings):
    with pytest.raises(InvalidInput, match="SMTP_URL"):
        check_target("ann@example.com", settings)


@pytest.mark.parametrize(
    ("target", "masked"),
    [
        ("ann@example.com", "ann@example.com"),
        (DISCORD, "discord://…"),
        (f"https://discord.com/api/webhooks/4174216298/{TOKEN}", "discord://…"),
        ("json://ann:hunter2@example.com/secret?+X-Key=secret", "json://example.com/…"),
        ("jsons://ann@example.com:8443", "jsons://example.com:8443/…"),
        ("json://[2001:db8::1]:8080/secret", "json://[2001:db8::1]:8080/…"),
        ("nctalks://ann:hunter2@example.com/room?secret=hunter3", "nctalks://example.com/…"),
        ("noticas://secret", "noticas://…"),
        ("ntfys://ann:hunter2@ntfy.example.com/topic", "ntfys://ntfy.example.com/…"),
        ("ntfys://ntfy.sh/topic", "ntfys://ntfy.sh/…"),
        ("https://ntfy.sh/topic", "ntfys://…"),
        ("ntfys://topic", "ntfys://…"),
        (f"matrixs://{'secret' * 10}code", "matrixs://…"),
        ("matrixs://ann:hunter2@example.com/%23room", "matrixs://example.com/…"),
        ("rockets://ann:hunter2@example.com/%23room", "rockets://example.com/…"),
        ("xbmc://ann:hunter2@example.com", "xbmc://example.com:8080/…"),
        ("twist://hunter2:ann@example.com", "twist://…"),
        ("goneservice://secret", "goneservice://…"),
        ("a secret", "…"),
    ],
)
def test_masked_target_holds_no_secret(target, masked):
    assert mask_target(target) == masked


def test_mask_of_no_service_shows_anything_but_the_host():
    """Of what Apprise calls public, some serves to send, such as rooms, topics and accounts."""
    opened, without_host = set(), set()
    for address in list_addresses():
        masked = mask_target(address.target)
        assert not [each for each in address.markers if each in masked], masked
        if is_accepted(address.target):
            opened.add(address.service)
            if address.host is not None and f"://{address.host}" not in masked:
                without_host.add(address.service)

    assert opened == ALLOWED
    # Their addresses may as well have a token of any form there.
    assert without_host == {
        *("BetterStack", "Fluxer", "Lametric", "Notica", "Notifico", "PushDeer", "Trigv")
    }


# Delivery


def test_all_that_waits_is_one_message_a_minute(owner, http_receiver):
    channel = owner.add_channel(json_target(http_receiver))
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
    channel = owner.add_channel(json_target(http_receiver))
    owner.tell_of_submission("Ann")
    http_receiver.statuses = [403]
    owner.deliver(channel)
    assert owner.list_states(channel) == [("waiting", 1, "403 Forbidden")]
    wait_time = owner.read(channel).next_attempt_at - owner.world.clock()
    assert wait_time == timedelta(minutes=1)

    owner.tell_of_submission("Bob")
    owner.world.clock.forward(minutes=1)
    owner.deliver(channel)

    assert "2 (Ann, Bob)" in read_body(http_receiver.received[1])
    assert owner.list_states(channel) == [("delivered", 2, "sent"), ("delivered", 1, "sent")]


def test_old_part_of_what_waits_is_given_up(owner, http_receiver):
    channel = owner.add_channel(json_target(http_receiver))
    owner.tell_of_submission("Ann")
    owner.world.clock.forward(days=1)
    owner.tell_of_submission("Bob")
    http_receiver.statuses = [500]

    owner.deliver(channel)

    assert [state for state, *_ in owner.list_states(channel)] == ["given_up", "waiting"]


def test_test_is_a_message_of_its_own(owner, http_receiver):
    channel = owner.add_channel(json_target(http_receiver))
    owner.tell_of_submission("Ann")
    delivery_log.queue_test(channel, owner.world.clock())

    owner.deliver(channel)
    owner.world.clock.forward(minutes=1)
    owner.deliver(channel)

    first, second = http_receiver.received
    assert json.loads(first.body)["title"] == "Test message from USD Coin"
    assert "Ann" in read_body(second)


def test_channel_hears_of_decisions_only_if_it_asks_for_them(owner, http_receiver):
    quiet = owner.add_channel(json_target(http_receiver))
    asked = owner.add_channel(json_target(http_receiver), "submission.decided")
    submission_id = owner.world.submit(Visitor()).json["submissionId"]
    owner.world.approve(submission_id)

    assert len(owner.list_states(quiet)) == 1
    assert len(owner.list_states(asked)) == 1


def test_channel_inside_the_network_is_refused_when_the_socket_opens(owner_with, http_receiver):
    owner = owner_with()
    channel = owner.add_unchecked_channel(json_target(http_receiver))
    owner.tell()

    owner.deliver(channel)

    assert http_receiver.received == []
    assert owner.list_states(channel) == [("waiting", 1, "the connection failed")]


def test_redirect_of_a_channel_does_not_lead_inside(owner_with, http_receiver, monkeypatch):
    owner = owner_with()
    with run_http_receiver() as public:
        # The guard takes one port of this machine for a public address.
        monkeypatch.setattr(
            guard,
            "is_allowed",
            lambda address, reach: address[1] == public.port or is_allowed(address, reach),
        )
        public.statuses, public.headers = [307], {"Location": http_receiver.url}
        channel = owner.add_unchecked_channel(json_target(public))
        owner.tell()
        owner.deliver(channel)

        assert len(public.received) == 1
    assert http_receiver.received == []
    assert owner.list_states(channel)[0][0] == "waiting"


@pytest.mark.parametrize(
    "target",
    [
        "json://hook.example:{port}/",
        "mailto://mail.example:{port}?from=ann@a.example&to=bob@b.example",
    ],
)
def test_name_that_leads_inside_when_it_is_connected_to_reaches_nothing(
    owner_with, monkeypatch, target
):
    """When the channel was added it may have led elsewhere."""
    owner, met = owner_with(), []
    with serve_raw(met.append, reads_first=False) as port:
        inside = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [inside])
        channel = owner.add_channel(target.format(port=port))
        owner.tell()
        owner.deliver(channel)

    assert met == []
    assert owner.list_states(channel)[0][:2] == ("waiting", 1)


def test_importing_channels_changes_no_module_for_others():
    # In a process of its own, in which nothing has imported it yet.
    code = """
import http.client, smtplib, socket, ssl, requests, urllib3.connection
places = [
    requests, requests.api, requests.adapters, requests.sessions, requests.Session,
    requests.adapters.HTTPAdapter, urllib3.connection, urllib3.connection.HTTPConnection,
    http.client, http.client.HTTPConnection, http.client.HTTPResponse, smtplib, smtplib.SMTP,
    smtplib.SMTP_SSL, socket, socket.socket, ssl, ssl.SSLContext,
]
before = [dict(vars(each)) for each in places]
from embed.notifications.channels import mask_target
mask_target("json://example.com")
print([each for each, was in zip(places, before) if dict(vars(each)) != was])
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT_DIR, capture_output=True, text=True, check=True
    )

    assert ended.stdout.strip() == "[]"


def test_channel_that_does_not_answer_ends_in_time(owner, monkeypatch):
    monkeypatch.setattr(channels, "TIMEOUT_S", 0.5)
    with serve_raw(wait) as port:
        channel = owner.add_channel(f"json://127.0.0.1:{port}/")
        owner.tell()
        started = time.monotonic()
        owner.deliver(channel)

    assert time.monotonic() - started < 5
    assert owner.list_states(channel) == [("waiting", 1, "timed out")]


@pytest.mark.parametrize("coding", [b"", b"Content-Encoding: gzip\r\n"])
@pytest.mark.parametrize("status", [b"200 OK", b"500 Broken", b"302 Found\r\nLocation: /"])
def test_answer_without_end_is_not_kept(owner, status, coding):
    """Apprise reads answers whole; what is compressed is small only until it is unpacked."""
    chunk = bytes(1_000_000)
    sent = 0

    def send_forever(connection):
        nonlocal sent
        packer = zlib.compressobj(wbits=31)
        connection.sendall(b"HTTP/1.1 " + status + b"\r\n" + coding + b"\r\n")
        while True:
            connection.sendall(packer.compress(chunk) if coding else chunk)
            sent += len(chunk)

    with serve_raw(send_forever) as port:
        channel = owner.add_channel(f"json://127.0.0.1:{port}/")
        owner.tell()
        started = time.monotonic()
        owner.deliver(channel)

    assert time.monotonic() - started < 10
    reason = "the answers are larger than 4,194,304 bytes"
    assert owner.list_states(channel) == [("waiting", 1, reason)]
    # What is on its way in buffers is not kept; packed, that is a thousand times as much.
    assert coding or sent < 30_000_000


@pytest.mark.parametrize("start", [b"", b"220 hello\r\n"])
def test_mail_servers_answer_without_end_is_not_kept(owner, start):
    """Reading what it can do takes smtplib ever longer, so it may not send much."""
    with serve_raw(repeat(start, b"250-AUTH=PLAIN\r\n"), reads_first=False) as port:
        target = f"mailto://127.0.0.1:{port}?from=ann@example.com&to=bob@example.com&mode=insecure"
        channel = owner.add_channel(target)
        owner.tell()
        owner.deliver(channel)

    reason = "the answers are larger than 262,144 bytes"
    assert owner.list_states(channel) == [("waiting", 1, reason)]


def test_webhooks_answer_without_end_is_not_kept(owner):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"
    with serve_raw(repeat(head, bytes(1000))) as port:
        webhook = owner.add_webhook(f"http://127.0.0.1:{port}/")
        owner.tell()
        owner.deliver(webhook)

    assert owner.list_states(webhook) == [("waiting", 1, "the answer is larger than 65,536 bytes")]


def test_receiver_cannot_let_the_background_work_sleep(owner, monkeypatch):
    """Matrix's servers may ask for a pause, and Apprise sleeps for as long as they like."""
    monkeypatch.setattr(channels, "TIMEOUT_S", 0.5)
    body = b'{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 8000}'
    head = b"HTTP/1.1 429 Too Many\r\nContent-Length: %d\r\n\r\n" % len(body)
    with serve_raw(send(head, body)) as port:
        channel = owner.add_channel(f"matrix://ann:password@127.0.0.1:{port}/%23room")
        owner.tell()
        started = time.monotonic()
        owner.deliver(channel)

    assert time.monotonic() - started < 5
    assert owner.list_states(channel) == [("waiting", 1, "timed out")]


def test_hundred_recipients_of_a_channel_take_no_longer_than_one_may(
    owner, http_receiver, monkeypatch
):
    """Apprise pauses for seconds before the next one, even if there is no time left."""
    monkeypatch.setattr(channels, "TIMEOUT_S", 2)
    topics = "/".join(f"t{number}" for number in range(100))
    channel = owner.add_channel(f"ntfy://127.0.0.1:{http_receiver.port}/{topics}")
    owner.tell()
    started = time.monotonic()
    owner.deliver(channel)

    assert time.monotonic() - started < 20
    assert len(http_receiver.received) == 1
    assert owner.list_states(channel) == [("waiting", 1, "timed out")]


def test_plugin_that_breaks_is_a_failure_without_its_words(owner, http_receiver, monkeypatch):
    channel = owner.add_channel(json_target(http_receiver) + "?+X-Key=hunter2")
    owner.tell()

    def break_down(*_, **__):
        raise RuntimeError("json://hunter2")

    monkeypatch.setattr("apprise.plugins.custom_json.NotifyJSON.send", break_down)
    owner.deliver(channel)

    assert owner.list_states(channel) == [("waiting", 1, "Apprise failed")]


def test_nothing_of_a_target_is_logged(owner, http_receiver, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    channel = owner.add_channel(
        f"json://ann:hunter2@127.0.0.1:{http_receiver.port}/hunter3?+X-Key=hunter4"
    )
    owner.tell()
    http_receiver.statuses = [500]
    owner.deliver(channel)

    written = "".join(capfd.readouterr()) + "".join(
        record.getMessage() for record in caplog.records if record.name != "peewee"
    )
    assert not any(f"hunter{number}" in written for number in (2, 4))
    assert len(http_receiver.received) == 1


@pytest.mark.parametrize(
    "target",
    [
        DISCORD,
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/general",
        "tgram://123456789:abcdefg_hijklmnop/12315544/",
        "ntfys://ntfy.sh/topic",
        "matrixs://user:password@matrix.example.com/%23room?mode=matrix",
    ],
)
def test_what_well_known_services_are_sent_is_short_and_mentions_nobody(owner, monkeypatch, target):
    """Their own servers are not asked: the request is caught where Apprise would send it."""
    sent = []

    def catch(_session, method, url, **how):
        sent.append(repr(how.get("data")) + repr(how.get("json")))
        answer = requests.Response()
        answer.status_code = 200
        answer._content = b"ok" if "slack.com" in url else b'{"ok": true}'
        return answer

    monkeypatch.setattr(requests.Session, "request", catch)
    channel = owner.add_channel(target)
    owner.tell(
        "wallet.flagged",
        publicAlias="@everyone <!channel> [x](https://evil.example)",
        address="EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    )
    owner.deliver(channel)

    (text,) = [each for each in sent if "Wallets below the minimum balance" in each]
    for harmful in ("@everyone", "<!channel>", "evil.example", "](", "github"):
        assert harmful not in text
    assert owner.list_states(channel) == [("delivered", 1, "sent")]


# E-mail


def test_mail_address_gets_plain_text_by_the_installations_server(owner_with, mailbox):
    owner = owner_with(
        SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}", PUBLIC_URL="https://embed.example.com"
    )
    channel = owner.add_channel("ann@example.com")
    owner.tell_of_submission("Bob")

    owner.deliver(channel)

    assert owner.list_states(channel) == [("delivered", 1, "sent")]
    (message,) = mailbox.messages
    assert message["To"] == "ann@example.com"
    assert "notifications@embed.example.com" in message["From"]
    assert message["Subject"] == "News about USD Coin"
    (text,) = [part for part in message.walk() if not part.is_multipart()]
    assert text.get_content_type() == "text/plain"
    assert text.get_content().strip().splitlines() == [
        "New submissions to review: 1 (Bob)",
        f"Open the queue: https://embed.example.com/dashboard/pages/{owner.world.page_id}/queue",
    ]


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
@pytest.mark.parametrize(
    ("given", "state", "reason"),
    [
        ("p%40ss%25w", "delivered", "sent"),
        ("wrong", "waiting", "the mail server answered 535"),
    ],
)
def test_mail_server_may_ask_for_a_password(owner_with, given, state, reason):
    with run_mail_server(user="ann@example.com", password="p@ss%w") as server:
        owner = owner_with(SMTP_URL=f"smtp://ann%40example.com:{given}@127.0.0.1:{server.port}")
        channel = owner.add_channel("bob@example.com")
        owner.tell_of_submission("Cleo")
        owner.deliver(channel)

        assert owner.list_states(channel) == [(state, 1, reason)]
        assert len(server.messages) == (state == "delivered")
        assert all("ann@example.com" in message["From"] for message in server.messages)


def test_mail_server_may_be_inside_the_network_but_no_other(owner_with, mailbox):
    owner = owner_with(SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}")
    own = owner.add_unchecked_channel(
        f"mailto://127.0.0.1:{mailbox.port}?from=a@b.example&to=c@b.example"
    )
    by_installation = owner.add_channel("ann@example.com")
    owner.tell_of_submission("Bob")
    owner.deliver(own)
    owner.deliver(by_installation)

    assert owner.list_states(own)[0][0] == "waiting"
    assert [message["To"] for message in mailbox.messages] == ["ann@example.com"]


@pytest.mark.parametrize(
    ("url", "host", "port", "mode"),
    [
        ("smtp://mail.example.com", "mail.example.com", 25, "insecure"),
        ("smtp://mail.example.com:587", "mail.example.com", 587, "starttls"),
        ("smtp://u:p@mail.example.com", "mail.example.com", 587, "starttls"),
        ("smtp://u:p@mail.example.com:25", "mail.example.com", 25, "starttls"),
        ("smtp://u:p@localhost:25", "localhost", 25, "insecure"),
        ("smtps://u:p@mail.example.com", "mail.example.com", 465, "ssl"),
    ],
)
def test_passwords_travel_encrypted(owner_with, url, host, port, mode):
    settings = owner_with(SMTP_URL=url).runtime.settings
    arguments = build_arguments("ann@example.com", settings)

    assert (arguments["smtp_host"], arguments["port"], arguments["secure_mode"]) == (
        host,
        port,
        mode,
    )


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
