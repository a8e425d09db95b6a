"""The demo's mail server: it keeps what arrives, for the sample site to show."""

import email
import email.policy
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller

MAX_KEPT = 50


class Mailbox:
    """Messages that arrived, newest first; a handler of aiosmtpd."""

    def __init__(self) -> None:
        self.mails: tuple[EmailMessage, ...] = ()  # other threads read it, so it is only replaced

    async def handle_DATA(  # noqa: N802 -- aiosmtpd calls it by this name
        self, _server: Any, _session: Any, envelope: Any
    ) -> str:
        """Keep a message."""
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.mails = (mail, *self.mails[: MAX_KEPT - 1])
        return "250 Kept"


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
