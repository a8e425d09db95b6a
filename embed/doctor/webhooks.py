"""Check of the servers that webhooks lead to; nothing is sent to them."""

from collections.abc import Iterator
from functools import partial
from urllib.parse import urlsplit

from embed.db.models import Page, Receiver
from embed.doctor.checks import Check, run_together
from embed.doctor.findings import Finding, NotChecked, quote
from embed.outbound.connections import check_connection
from embed.outbound.guard import Reach
from embed.outbound.http import RequestFailed
from embed.settings import Settings

MOST_SERVERS = 50
_TIMEOUT_S = 8.0
_PORTS = {"http": 80, "https": 443}

_Server = tuple[str, str, int]  # scheme, host, port


def check_webhooks(settings: Settings) -> Iterator[Finding]:
    """Connect to each server once. Raises NotChecked beyond MOST_SERVERS."""
    webhooks_by_server: dict[_Server, list[str]] = {}
    query = (
        Receiver.select().join(Page).where(Receiver.kind == "webhook", Page.deleted_at.is_null())
    )
    for webhook in query.order_by(Receiver.created_at):
        parts = urlsplit(webhook.target)
        server = (parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme])
        webhooks_by_server.setdefault(server, []).append(str(webhook.id))
    chosen = list(webhooks_by_server.items())[:MOST_SERVERS]
    found = run_together(
        [
            Check(f"webhook {ids[0]}", partial(_check_server, server, ids, settings))
            for server, ids in chosen
        ]
    )
    yield from found.findings
    if len(webhooks_by_server) > MOST_SERVERS:
        reason = f"Only {MOST_SERVERS} of {len(webhooks_by_server)} webhooks' servers were checked."
        raise NotChecked(reason)


def _check_server(server: _Server, ids: list[str], settings: Settings) -> Iterator[Finding]:
    scheme, host, port = server
    reach = Reach.ANY if settings.allow_private_targets else Reach.PUBLIC
    try:
        check_connection(host, port, is_tls=scheme == "https", reach=reach, timeout_s=_TIMEOUT_S)
    except RequestFailed as failure:
        which = f"{len(ids)} webhooks lead" if len(ids) > 1 else f"The webhook {ids[0]} leads"
        yield Finding(
            "webhook_unreachable",
            f"{which} to {scheme}://{quote(host)}:{port}, which cannot be reached: {failure}.",
            f"Ask the page's owner, or remove it by flask webhooks remove {ids[0]}. Inside your own"
            " network, webhooks need ALLOW_PRIVATE_TARGETS=1.",
        )
