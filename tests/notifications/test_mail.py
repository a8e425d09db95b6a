"""E-mail: what is sent by which server, what becomes of failures, and that passwords are safe."""

import re
import socket
import ssl

import pytest
from support.certificates import make_certificate
from support.raw_server import send, serve_raw, wait
from support.receivers import run_mail_server

from embed.notifications import mail
from embed.notifications.mail import find_sender, read_server


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
        ("smtps://localhost", talk(HELLO), "it does not speak TLS at this port"),
    ],
)
def test_mail_that_is_not_sent_says_why(owner_with, monkeypatch, url, answer, reason):
    monkeypatch.setattr(mail, "TIMEOUT_S", 1)
    resolve = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *more, **__: resolve("127.0.0.1", *more))
    with serve_raw(answer, reads_first=False) as port:
        owner = owner_with(SMTP_URL=f"{url}:{port}")
        assert owner.send_to("ann@example.com") == reason


def test_mail_server_that_is_not_there_is_told(owner_with):
    owner = owner_with(SMTP_URL="smtp://127.0.0.1:1")

    assert owner.send_to("ann@example.com") == "the connection was refused"


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
        reason = owner.send_to("ann@example.com")

    assert reason.startswith("its certificate is not trusted: self-signed")


@pytest.mark.parametrize(
    ("url", "port", "how"),
    [
        ("smtp://mail.example.com", 25, "plain"),
        ("smtp://mail.example.com:587", 587, "STARTTLS"),
        ("smtp://u:p@mail.example.com", 587, "STARTTLS"),
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
