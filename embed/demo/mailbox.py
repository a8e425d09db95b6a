"""The demo's mail server: it keeps every message, and shows them on the made-up site."""

import email
import email.policy
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from aiosmtpd.controller import Controller

MAX_KEPT = 50


@dataclass(frozen=True, slots=True)
class Mail:
    recipients: str
    subject: str
    text: str


class Mailbox:
    """Messages that arrived, newest first; a handler of aiosmtpd."""

    def __init__(self) -> None:
        self._mails: list[Mail] = []
        self._lock = threading.Lock()

    async def handle_DATA(  # noqa: N802 -- aiosmtpd calls it by this name
        self, _server: Any, _session: Any, envelope: Any
    ) -> str:
        """Keep a message."""
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        body = message.get_body(("plain", "html"))
        text = "" if body is None else body.get_content().strip()
        mail = Mail(", ".join(envelope.rcpt_tos), str(message["Subject"]), text)
        with self._lock:
            self._mails = [mail, *self._mails][:MAX_KEPT]
        return "250 Kept"

    def list_mails(self) -> list[Mail]:
        with self._lock:
            return list(self._mails)


@contextmanager
def serve_mailbox() -> Iterator[tuple[Mailbox, str]]:
    """Run a mail server until the block ends; return its mailbox and its SMTP_URL."""
    mailbox = Mailbox()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    controller = Controller(mailbox, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield mailbox, f"smtp://127.0.0.1:{port}"
    finally:
        controller.stop()
