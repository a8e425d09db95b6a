"""Targets inside the operator's own network, as far as they can be told when they are added.

Where a name leads is only known, and checked, when the socket opens: see embed/outbound/guard.py.
"""

from embed.errors import InvalidInput
from embed.outbound.guard import find_ip, is_public
from embed.settings import Settings


def check_host(host: str, settings: Settings) -> None:
    """Raises InvalidInput for a host of the operator's network, unless the settings allow these."""
    if not settings.allow_private_targets and _is_private(host):
        raise InvalidInput(
            "Webhooks and channels must not lead into this service's own network unless its"
            " operator sets ALLOW_PRIVATE_TARGETS=1.",
            field="target",
        )


def _is_private(host: str) -> bool:
    name = host.strip("[]").rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    ip = find_ip(name)
    return ip is not None and not is_public(ip)
