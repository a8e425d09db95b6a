"""Which requests count against which limit, and for whom (docs/api.md, Limits)."""

from datetime import timedelta

from flask import Blueprint, Flask, request
from flask_limiter import ApplicationLimit, Limiter
from limits import RateLimitItem, parse

from embed.domain.clients import name_client
from embed.errors import ApiError
from embed.keys.refused_origins import store_refused_origin
from embed.rate_limits import RateLimits
from embed.settings import Settings
from embed.settings.storages import STORAGE_OPTIONS, translate_storage_errors
from embed.web.current import runtime
from embed.web.visitor import find_session_id

# A program can send any Origin, so one client must not push all other sites off a key's list.
NEW_SITES_PER_CLIENT = parse("5/hour")
_CLIENTS_LIMIT = "rate_limit_ip"  # its code, and its name in the storage


def init_limits(app: Flask, settings: Settings) -> RateLimits:
    """Check the client's limit before anything else, and return what checks the other limits.

    Raises SettingsError.
    """
    clients_limit = ApplicationLimit(str(settings.limit_per_ip), scope=_CLIENTS_LIMIT)
    with translate_storage_errors():
        limiter = Limiter(
            lambda: rate_limits.name_who(client_network()),
            app=app,
            application_limits=[clients_limit],
            strategy="fixed-window",
            storage_uri=settings.ratelimit_storage_uri,
            storage_options=STORAGE_OPTIONS,  # type: ignore[arg-type]  # which needn't be strings
            in_memory_fallback_enabled=True,
            swallow_errors=True,  # or a second request that meets a failing storage fails
        )
    rate_limits = RateLimits(lambda: limiter.limiter, settings)
    return rate_limits


def exempt(app: Flask, preflights: Blueprint, *endpoints: str) -> None:
    """Don't count preflights and these endpoints for the client's limit."""
    (limiter,) = app.extensions["limiter"]
    limiter.exempt(preflights)  # under both prefixes
    for endpoint in endpoints:
        limiter.exempt(app.view_functions[endpoint])


def make_clients_refusal() -> ApiError:
    """Return the refusal of a client above its limit."""
    limit = runtime().settings.limit_per_ip
    wait = runtime().rate_limits.refuse(_CLIENTS_LIMIT, limit, client_network())
    return ApiError(_CLIENTS_LIMIT, retry_after=wait)


def find_wait(name: str, limit: RateLimitItem, who: str) -> timedelta | None:
    """Count an attempt; above the limit, return how long to wait."""
    return runtime().rate_limits.find_wait(name, limit, who)


def has_many_preflights() -> bool:
    """Count a preflight, and return whether its client has sent more than LIMIT_PER_IP.

    Also true while the storage fails: nothing then keeps a flood away from the database.
    """
    return _is_above("preflight", runtime().settings.limit_per_ip, if_unknown=True)


def has_many_questions() -> bool:
    """Count a chain query before a signature; a client may make as many as after one."""
    return _is_above("question", runtime().settings.limit_ip_submissions)


def _is_above(name: str, limit: RateLimitItem, *, if_unknown: bool = False) -> bool:
    """Count that this client did something, and return whether it has done so too often."""
    return runtime().rate_limits.is_above(name, limit, client_network(), if_unknown=if_unknown)


def check_session_nonces() -> None:
    """Limit a session's nonces; without a session there is no limit."""
    session_id = find_session_id()
    if session_id is not None:
        limit = runtime().settings.limit_session_nonces
        runtime().rate_limits.check_limit("rate_limit_session", limit, f"nonce {session_id}")


def check_refreshes(page_id: str) -> None:
    """Limit a page's chain queries, all of its secret keys together."""
    limit = runtime().settings.limit_refreshes
    runtime().rate_limits.check_limit("rate_limit_key", limit, f"refreshes {page_id}")


def report_refused_site(key_id: str, origin: str) -> None:
    """Report to the owner a site that the key's allowlist refused, by its normalized origin.

    A new site is skipped if its client has added many.
    """
    store_refused_origin(
        key_id,
        origin,
        runtime().clock(),
        lambda: not _is_above("refused_site", NEW_SITES_PER_CLIENT),
    )


def client_network() -> str:
    """Return what identifies a client: an IPv4 address, or the /64 network of an IPv6 address."""
    return name_client(request.remote_addr or "")
