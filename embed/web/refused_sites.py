"""Reporting sites that a key's allowlist refused to the owner."""

from limits import parse

from embed.keys.refused_origins import record_refused_origin
from embed.web.current import runtime
from embed.web.rate_limits import client_network

# A program can send any Origin, so one client must not push all other sites off the list.
PER_CLIENT = parse("5/hour")


def report_refused_site(key_id: str, origin: str) -> None:
    """Record the normalised origin of a refused request, unless its client reported many."""
    if runtime().limiter.count("refused_site", PER_CLIENT, client_network()) is None:
        record_refused_origin(key_id, origin, runtime().clock())
