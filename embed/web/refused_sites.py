"""Reporting sites that a key's allowlist refused to the owner."""

from limits import parse

from embed.keys.refused_origins import record_refused_origin
from embed.web.current import runtime
from embed.web.rate_limits import client_network

# A program can send any Origin, so one client must not push all other sites off the list.
NEW_SITES_PER_CLIENT = parse("5/hour")


def report_refused_site(key_id: str, origin: str) -> None:
    """Record the normalised origin of a refused request, unless its client added many sites."""
    record_refused_origin(key_id, origin, runtime().clock(), _may_add)


def _may_add() -> bool:
    client = client_network()
    return runtime().limiter.count("refused_site", NEW_SITES_PER_CLIENT, client) is None
