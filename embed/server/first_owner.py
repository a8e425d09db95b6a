"""Creates the owner named by FIRST_OWNER, so signing in doesn't need a command line."""

import logging
from collections.abc import Iterable
from typing import Any

from embed.errors import InvalidInput
from embed.logs.lines import FIELDS
from embed.people import accounts, passwords
from embed.runtime import Runtime

_log = logging.getLogger(__name__)


def make_first_owner(runtime: Runtime, listeners: Iterable[Any]) -> None:
    """Create the owner if there is none yet, and log a link to choose a password.

    Without PUBLIC_URL, it points to the first of gunicorn's `listeners` that has a port.
    """
    settings = runtime.settings
    if settings.first_owner is None or accounts.has_any():
        return
    try:
        owner = accounts.create_person(settings.first_owner, runtime.clock())
    except InvalidInput:  # another process was faster
        return
    base_url = settings.public_url or find_url(listeners) or settings.base_url
    link = passwords.build_link(owner, runtime.signer, base_url)
    _log.log(
        max(logging.WARNING, _log.getEffectiveLevel()),  # logged once, so every log shows it
        "%s can choose a password here, once and within a day: %s",
        owner.email,
        link,
        extra={FIELDS: {}},  # otherwise the link would be redacted as a secret
    )


def find_url(listeners: Iterable[Any]) -> str | None:
    """Return the URL of a listener on this machine; None if all are socket files."""
    for listener in listeners:
        match listener.getsockname():
            case (str(host), int(port), *_):
                local = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104  # not bound here
                return f"http://{local.get(host, f'[{host}]' if ':' in host else host)}:{port}"
    return None
