"""The owner whom FIRST_OWNER names, so that nobody needs a command line to sign in."""

import logging

from embed.errors import InvalidInput
from embed.logs.lines import FIELDS
from embed.people import accounts, passwords
from embed.runtime import Runtime

_log = logging.getLogger(__name__)


def make_first_owner(runtime: Runtime) -> None:
    """Create the owner where there is none yet, and log a link to choose a password."""
    settings = runtime.settings
    if settings.first_owner is None or accounts.has_any():
        return
    try:
        owner = accounts.create_person(settings.first_owner, runtime.clock())
    except InvalidInput:  # another process has just done it
        return
    link = passwords.build_link(owner, runtime.signer, settings.base_url)
    _log.log(
        max(logging.WARNING, _log.getEffectiveLevel()),  # told once, so every log shows it
        "%s can choose a password here, once and within a day: %s",
        owner.email,
        link,
        extra={FIELDS: {}},  # else the link would be hidden, as a secret is
    )
