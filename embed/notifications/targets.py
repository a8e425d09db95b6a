"""What webhooks and channels have in common: which hosts they may name, and how sending went."""

from dataclasses import dataclass
from datetime import timedelta

from embed.errors import InvalidInput
from embed.outbound.guard import find_ip, is_public
from embed.settings import Settings


@dataclass(frozen=True, slots=True)
class Outcome:
    is_delivered: bool
    answer: str  # short words for the owner, without the target
    is_final: bool = False  # a failure that trying again cannot mend
    retry_after: timedelta | None = None  # as the receiver asked


def check_host(host: str, settings: Settings) -> None:
    """Raises InvalidInput for a host of the operator's network, unless the settings allow these.

    Where a name leads is only known, and checked, when the socket opens: embed/outbound/guard.py.
    """
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
