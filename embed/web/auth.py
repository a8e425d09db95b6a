"""Bearer keys at the door of the API (spec 5): closed unless a request shows that it may enter."""

import re

import peewee
from flask import current_app, g, request

from embed import doctor
from embed.api_keys import Access, find_access, note_use
from embed.database import discard_broken_connection
from embed.domain.key_format import is_key
from embed.domain.origins import parse_origin
from embed.errors import ApiError
from embed.web import limits
from embed.web.current import own_origin, service

_BEARER = re.compile(r"bearer (\S+)", re.IGNORECASE)


def authenticate() -> None:
    """Let a request in, its key known as ``g.access``; preflights carry no key and pass.

    Raises ApiError with the first that fails: header, form, key, revocation, origin, limit.
    """
    if request.method == "OPTIONS":
        return
    header = _BEARER.fullmatch(request.headers.get("Authorization", ""))
    if header is None:
        raise ApiError("missing_key")
    access = get_access(header[1])
    if access.tier == "public":
        check_origin(access)
    limits.check_key(access.key_id)
    g.access = access
    _remember_use(access)


def get_access(raw_key: str) -> Access:
    """Return what a key opens. Raises ApiError `invalid_key`, `revoked_key`."""
    access = find_access(raw_key) if is_key(raw_key) else None
    if access is None:
        raise ApiError("invalid_key")
    if access.is_revoked:
        raise ApiError("revoked_key")
    return access


def check_page(page_id: str) -> None:
    """Raises ApiError `invalid_key` for any page but the key's own (spec 5.4)."""
    if page_id != g.access.page_id:
        raise ApiError("invalid_key")


def check_origin(access: Access) -> None:
    """Raises ApiError `missing_origin` or `origin_not_allowed` (spec 5.6)."""
    raw_origin = request.headers.get("Origin")
    if raw_origin == "null":
        if not access.allows_null_origin:
            remember_refusal(access, "null")
            raise ApiError("origin_not_allowed")
        return
    # A same-origin GET sends no Origin; browsers set Sec-Fetch-Site themselves, scripts cannot.
    raw_origin = raw_origin or request.headers.get("Referer")
    if not raw_origin:
        if request.headers.get("Sec-Fetch-Site") != "same-origin" and not access.allows_null_origin:
            raise ApiError("missing_origin")
        return
    origin = parse_origin(raw_origin)
    if origin is None or not (origin in access.origins or origin == own_origin()):
        if origin is not None:
            remember_refusal(access, origin)
        raise ApiError("origin_not_allowed")


def remember_refusal(access: Access, origin: str) -> None:
    """Show the owner which site was kept out; no request fails because that cannot be kept."""
    try:
        doctor.record_refusal(access.key_id, origin, service().clock())
    except peewee.PeeweeException as error:
        _log_lost(error)


def _remember_use(access: Access) -> None:
    try:
        note_use(access, service().clock())
    except peewee.PeeweeException as error:
        _log_lost(error)


def _log_lost(error: Exception) -> None:
    current_app.logger.warning("Not kept for the dashboard: %s", error)
    discard_broken_connection()
