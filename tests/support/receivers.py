"""What owners' messages arrive at in tests: servers for webhooks and for mail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from support.servers import find_free_port

from embed.db.models import Message, Receiver
from embed.events.messages import TEST, write_messages
from embed.notifications.delivery_log import end_waits


def queue_test(receiver: Receiver, now: datetime) -> Message:
    """Queue a test message, as sending one again does."""
    (number,) = write_messages(receiver.page_id, [(TEST, {}, [receiver.id])], now)
    end_waits(Receiver.id == receiver.id)
    return Message.get(Message.number == number)


@dataclass
class Received:
    path: str
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


class HttpReceiver:
    """A server that keeps what is posted to it, and answers what the test wants."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.statuses: list[int] = []  # of the next answers; then 204
        self.headers: dict[str, str] = {}  # of all answers
        self.connections = 0  # that were opened
        self.before_answer: Callable[[], Any] = lambda: None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def ids(self) -> list[str]:
        return [each.id for each in self.received]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # so connections stay open
    timeout = 30

    def setup(self) -> None:
        super().setup()
        self.server.receiver.connections += 1

    def do_POST(self) -> None:
        receiver = self.server.receiver
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        receiver.received.append(Received(self.path, headers, body))
        receiver.before_answer()
        self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
        for name, value in receiver.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def run_http_receiver() -> Iterator[HttpReceiver]:
    receiver = HttpReceiver()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        server.receiver = receiver
        receiver.port = server.server_address[1]
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join(timeout=10)


class Mailbox:
    """A mail server that keeps what is sent to it."""

    def __init__(self) -> None:
        self.port = find_free_port()
        self.messages: list[EmailMessage] = []

    async def handle_DATA(self, _server, _session, envelope) -> str:  # noqa: N802  # aiosmtpd's name
        self.messages.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 OK"


@contextmanager
def run_mail_server(*, user: str | None = None, password: str | None = None) -> Iterator[Mailbox]:
    """Run a mail server; with a user, it accepts only them."""
    mailbox = Mailbox()

    def authenticate(_server, _session, _envelope, _mechanism, data) -> AuthResult:
        wanted = LoginPassword((user or "").encode(), (password or "").encode())
        # Not handled: aiosmtpd then sends the refusal.
        return AuthResult(success=data == wanted, handled=False)

    how = {"auth_required": user is not None, "auth_require_tls": False}
    if user is not None:
        how["authenticator"] = authenticate
    controller = Controller(mailbox, hostname="127.0.0.1", port=mailbox.port, **how)
    controller.start()
    try:
        yield mailbox
    finally:
        controller.stop()
