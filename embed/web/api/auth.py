"""Authentication of API requests by bearer keys (docs/api.md, Keys and Origins).

Every route requires one, except for that of the OpenAPI document.
"""

import re

from flask import g, request

from embed.domain.origins import decide_origin
from embed.errors import ApiError
from embed.keys.access import Access, get_access, store_use
from embed.web import rate_limits
from embed.web.current import own_origin, runtime

_BEARER = re.compile(r"bearer (\S+)", re.IGNORECASE)


def authenticate() -> None:
    """Check the request's key and store its access in ``g.access``; preflights have no key.

    The client's limit and the host were checked before. Raises ApiError for the first failed check:
    header, form, key, revocation, origin, key's limit.
    """
    if request.method == "OPTIONS":
        return
    g.access = access = _find_access()
    rate_limits.check_key(access.key_id)
    store_use(access, runtime().clock())


def _find_access() -> Access:
    header = _BEARER.fullmatch(request.headers.get("Authorization", ""))
    if header is None:
        raise ApiError("missing_key")
    access = get_access(header[1])
    if access.tier == "public":
        check_origin(access)
    return access


def check_page(page_id: str) -> None:
    """Raises ApiError `invalid_key` for any page but the key's own."""
    if page_id != g.access.page_id:
        raise ApiError("invalid_key")


def check_secret_key() -> None:
    """Raises ApiError `secret_key_required` for a public key, which anybody can read."""
    if g.access.tier != "secret":
        raise ApiError("secret_key_required")


def check_origin(access: Access) -> None:
    """Raises ApiError `missing_origin` or `origin_not_allowed`."""
    headers = request.headers
    raw_origin = headers.get("Origin")
    if raw_origin in access.origins:
        return
    decision = decide_origin(
        raw_origin=raw_origin,
        raw_referer=headers.get("Referer"),
        is_same_origin_fetch=headers.get("Sec-Fetch-Site") == "same-origin",
        allowlist=access.origins,
        allows_null=access.allows_null_origin,
        find_own_origin=own_origin,
    )
    if decision.code is not None:
        if decision.refused_origin is not None:
            rate_limits.report_refused_site(access.key_id, decision.refused_origin)
        raise ApiError(decision.code)
