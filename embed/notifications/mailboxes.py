"""E-mail by the installation's own server, for channels that are plain e-mail addresses."""

import re
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from embed.errors import InvalidInput
from embed.settings import Settings

_ADDRESS = re.compile(
    r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}"
    r"@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z][A-Za-z0-9-]{0,62}",  # no IP address
    re.A,
)
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_PORT, _STARTTLS_PORT, _TLS_PORT = 25, 587, 465


def is_mailbox(target: str) -> bool:
    return _ADDRESS.fullmatch(target) is not None


def build_arguments(address: str, settings: Settings) -> dict[str, Any]:
    """Return Apprise's arguments for e-mail to `address`. Raises InvalidInput without SMTP_URL.

    Passwords only travel encrypted, unless the server is on this machine.
    """
    if settings.smtp_url is None:
        raise InvalidInput(
            "This installation has no mail server: its operator sets SMTP_URL. Or name one in an"
            " Apprise address, such as mailtos://user:password@example.com.",
            field="target",
        )
    server = urlsplit(settings.smtp_url)
    host = server.hostname or ""
    if server.scheme == "smtps":
        mode, port = "ssl", server.port or _TLS_PORT
    else:
        port = server.port or (_STARTTLS_PORT if server.username else _PORT)
        is_encrypted = port == _STARTTLS_PORT or server.username
        mode = "starttls" if is_encrypted and host not in _LOOPBACK else "insecure"
    sender = find_sender(settings)
    return {
        "schema": "mailto",
        "host": sender.partition("@")[2],
        "smtp_host": host,
        "port": port,
        "user": _requote(server.username),
        "password": _requote(server.password),
        "secure_mode": mode,
        "from_addr": sender,
        "targets": [address],
        "format": "text",
    }


def find_sender(settings: Settings) -> str:
    """Return the sender's address: of ``?from=`` in SMTP_URL, of its user, or of our own host."""
    server = urlsplit(settings.smtp_url or "")
    user = unquote(server.username or "")
    named = parse_qs(server.query).get("from", [user])[0]
    if is_mailbox(named):
        return named
    own_host = urlsplit(settings.public_url or "").hostname or ""
    own = f"notifications@{own_host}"
    return own if is_mailbox(own) else "notifications@localhost"


def _requote(part: str | None) -> str | None:
    """Apprise decodes what it is given once more."""
    return None if part is None else quote(unquote(part), safe="")
