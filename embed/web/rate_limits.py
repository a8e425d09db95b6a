"""Which requests count against which limit, and for whom (docs/api.md, Limits).

Our own code calls the limiter: Flask-Limiter's decorators would not run in the order of the
API's checks, and not at all for unknown paths.
"""

from datetime import timedelta

from flask import Flask, request
from limits import RateLimitItem, parse

from embed.domain.clients import name_client
from embed.keys.refused_origins import store_refused_origin
from embed.rate_limits.limiter import RateLimiter
from embed.rate_limits.storages import STORAGE_OPTIONS, is_shared, translate_storage_errors
from embed.settings import Settings
from embed.web.assets import is_static_file
from embed.web.current import check_host, is_api_request, is_health_check, runtime
from embed.web.visitor import find_session_id

# A program can send any Origin, so one client must not push all other sites off a key's list.
NEW_SITES_PER_CLIENT = parse("5/hour")


def init_limits(app: Flask, settings: Settings) -> RateLimiter:
    """Return the limiter; Flask-Limiter opens the storage that processes share.

    Raises SettingsError.
    """
    app.before_request(check_client_and_host)
    secret_key = next(iter(settings.secret_keys), "")
    if not is_shared(settings.ratelimit_storage_uri):
        return RateLimiter(None, secret_key)
    from flask_limiter import Limiter  # takes half a MB

    limiter = Limiter(
        key_func=client_network,
        storage_uri=settings.ratelimit_storage_uri,
        storage_options=STORAGE_OPTIONS,  # type: ignore[arg-type]
        strategy="fixed-window",
    )
    # If the app knows the limiter already, init_app adds no request hooks. They would look for
    # decorators, which we do not use, and make the tracking read 1.5 times as slow
    # (309 against 194 us in process; medians of 21 alternating rounds).
    app.extensions.setdefault("limiter", set()).add(limiter)
    with translate_storage_errors():
        limiter.init_app(app)
    return RateLimiter(limiter.storage, secret_key)


def check_client_and_host() -> None:
    """Check the client's limit, then the host, before anything else on any path.

    Static files don't count, since a page loads many, nor do health checks, whose client may be the
    proxy. Preflights are counted separately.
    """
    is_preflight = request.method == "OPTIONS" and request.url_rule and is_api_request()
    if not (is_preflight or is_static_file() or is_health_check()):
        service = runtime()
        service.limiter.hit("rate_limit_ip", service.settings.limit_per_ip, client_network())
    check_host()


def has_many_preflights() -> bool:
    """Count a preflight, and return whether its client has sent more than LIMIT_PER_IP."""
    return _is_above("preflight", runtime().settings.limit_per_ip)


def has_many_questions() -> bool:
    """Count a chain query before a signature; a client may make as many as after one."""
    return _is_above("question", runtime().settings.limit_ip_submissions)


def check_session_nonces() -> None:
    """Limit a session's nonces; without a session there is no limit."""
    session_id = find_session_id()
    if session_id is not None:
        service = runtime()
        limit, who = service.settings.limit_session_nonces, f"nonce {session_id}"
        service.limiter.hit("rate_limit_session", limit, who)


def check_refreshes(page_id: str) -> None:
    """Limit a page's chain queries, all of its secret keys together."""
    limit = runtime().settings.limit_refreshes
    runtime().limiter.hit("rate_limit_key", limit, f"refreshes {page_id}")


def _is_above(name: str, limit: RateLimitItem) -> bool:
    """Count that this client did something, and return whether it has done so too often."""
    return runtime().limiter.count(name, limit, client_network()) is not None


def find_wait(name: str, who: str, limit: RateLimitItem) -> timedelta | None:
    """Count an attempt; above the limit, return how long to wait."""
    return runtime().limiter.find_wait(name, limit, who)


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
