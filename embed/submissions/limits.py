"""How often a visitor may send what a wallet signed."""

from embed.keys.access import Access
from embed.runtime import Runtime


def check_limits(
    runtime: Runtime, access: Access, session_id: str | None, client: str, *, scope: str
) -> None:
    """Limit requests with a good signature, so that nobody fills a queue in a second.

    Each `scope` is counted by itself, `client` is the address or network that a request came from.
    With a secret key a server relays its visitors, so its address says nothing about them.
    Raises ApiError `rate_limit_session`, `rate_limit_ip`.
    """
    settings = runtime.settings
    if session_id is not None:
        runtime.limiter.hit(
            "rate_limit_session", settings.limit_session_submissions, f"{scope} {session_id}"
        )
    if access.tier == "public":
        runtime.limiter.hit("rate_limit_ip", settings.limit_ip_submissions, f"{scope} {client}")
