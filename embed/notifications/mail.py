"""Sends email by the installation's own mail server (SMTP_URL)."""

import re
import smtplib
import ssl
from contextlib import closing, suppress
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import parse_qs, unquote, urlsplit

from embed.notifications.digest import Digest, write_html, write_text
from embed.notifications.targets import Outcome
from embed.outbound import explain
from embed.settings import Settings

TIMEOUT_S = 20  # per step: the server is the operator's own
MAILBOX = (
    r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}"
    r"@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z][A-Za-z0-9-]{0,62}"  # no IP address
)
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_PORT, _STARTTLS_PORT, _TLS_PORT = 25, 587, 465


@dataclass(frozen=True, slots=True)
class MailServer:
    host: str
    port: int
    has_tls: bool  # from the first byte
    needs_starttls: bool
    user: str
    password: str


def is_mailbox(text: str) -> bool:
    return re.fullmatch(MAILBOX, text, re.A) is not None


def read_server(smtp_url: str) -> MailServer:
    """Read SMTP_URL; passwords are only sent encrypted, unless the server is on this machine."""
    parts = urlsplit(smtp_url)
    host, user = parts.hostname or "", unquote(parts.username or "")
    has_tls = parts.scheme == "smtps"
    port = parts.port or (_TLS_PORT if has_tls else _STARTTLS_PORT if user else _PORT)
    is_secret = bool(user) or port == _STARTTLS_PORT
    needs_starttls = is_secret and not has_tls and host not in _LOOPBACK
    return MailServer(host, port, has_tls, needs_starttls, user, unquote(parts.password or ""))


def find_sender(settings: Settings) -> str:
    """Return the sender's address: from ``?from=`` in SMTP_URL, its user, or our own host."""
    server = urlsplit(settings.smtp_url or "")
    user = unquote(server.username or "")
    named = parse_qs(server.query).get("from", [user])[0]
    if is_mailbox(named):
        return named
    return f"notifications@{_find_own_host(settings) or 'localhost'}"


def _find_own_host(settings: Settings) -> str | None:
    """Return PUBLIC_URL's host if mail servers accept it as one."""
    host = urlsplit(settings.public_url or "").hostname or ""
    return host if is_mailbox(f"notifications@{host}") else None


def send(address: str, digest: Digest, settings: Settings) -> Outcome:
    if settings.smtp_url is None:
        return Outcome(False, "this installation has no mail server")
    server, sender = read_server(settings.smtp_url), find_sender(settings)
    was_greeted = False
    try:
        # Without a name for EHLO, smtplib would ask DNS for one.
        own_name = _find_own_host(settings) or sender.partition("@")[2]
        with closing(_connect(server, own_name)) as client:
            was_greeted = True
            if server.needs_starttls:
                client.starttls(context=ssl.create_default_context())
            if server.user:
                client.login(server.user, server.password)
            client.send_message(_compose(address, digest, sender), sender, [address])
            with suppress(OSError):  # the mail is already sent
                client.quit()
    except (OSError, ValueError) as failure:  # ValueError: an invalid host name
        return Outcome(False, _explain(failure, server, was_greeted=was_greeted))
    return Outcome(True, "sent")


def _connect(server: MailServer, own_name: str) -> smtplib.SMTP:
    where = (server.host, server.port, own_name)
    if not server.has_tls:
        return smtplib.SMTP(*where, timeout=TIMEOUT_S)
    return smtplib.SMTP_SSL(*where, timeout=TIMEOUT_S, context=ssl.create_default_context())


def _compose(address: str, digest: Digest, sender: str) -> EmailMessage:
    # Don't fold headers: a long address would be encoded, which mail services can't read.
    message = EmailMessage(policy.default.clone(refold_source="none"))
    message["From"] = f"Tracking embed <{sender}>"
    message["To"] = address
    message["Subject"] = digest.title
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=sender.partition("@")[2])
    message["Auto-Submitted"] = "auto-generated"  # keeps out-of-office replies away
    if digest.stop_link is not None:
        message.set_raw("List-Unsubscribe", f"<{digest.stop_link}>")
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(write_text(digest))
    if digest.choices:
        message.add_alternative(write_html(digest), subtype="html")
    return message


def _explain(failure: Exception, server: MailServer, *, was_greeted: bool) -> str:
    """Return why a mail wasn't sent, without any text of the server's reply."""
    match failure:
        case smtplib.SMTPNotSupportedError():
            return "the mail server offers no STARTTLS, or no sign-in"
        case smtplib.SMTPAuthenticationError(smtp_code=code):
            return f"the mail server refused the sign-in ({code})"
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            return f"the mail server refused the recipient ({next(iter(refused.values()))[0]})"
        case smtplib.SMTPSenderRefused(smtp_code=code):
            return f"the mail server refused the sender, or needs a sign-in ({code})"
        case smtplib.SMTPResponseException(smtp_code=code) if code > 0:
            return f"the mail server answered {code}"
        case smtplib.SMTPResponseException():
            return "the server at this port isn't a mail server"
        case smtplib.SMTPServerDisconnected():
            reason = "timed out" if explain(failure) == "timed out" else "the mail server hung up"
            if server.has_tls or was_greeted:
                return reason
            return (
                f"{reason}; port 465, and any with TLS from the start, needs smtps:// in SMTP_URL"
            )
        case smtplib.SMTPException():  # the base class itself
            return "the mail server offers no sign-in by password"
    return explain(failure)
