"""The sites that a key's allowlist refused recently, shown to the owner."""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta

from embed.db.connection import best_effort, db
from embed.db.models import ApiKey, Page, Person, RefusedOrigin

MAX_PER_KEY = 20  # the oldest is deleted, so that nobody can fill the table
MAX_LENGTH = 300
COUNTED_EVERY = timedelta(minutes=1)


def store_refused_origin(
    key_id: str, origin: str, now: datetime, may_add: Callable[[], bool]
) -> None:
    """Count a refused request; `origin` is the caller's normalized origin, or null.

    A site counts at most once a minute, and a key takes at most MAX_PER_KEY new sites a
    minute: beyond that, a flood of refused requests causes reads but no writes. `may_add` is
    asked before a new site is added. No request fails because its origin could not be stored.
    """
    if len(origin) <= MAX_LENGTH:
        with best_effort():
            _store(key_id, origin, now, may_add)


def _store(key_id: str, origin: str, now: datetime, may_add: Callable[[], bool]) -> None:
    known = RefusedOrigin.select(RefusedOrigin.origin, RefusedOrigin.refused_at).where(
        RefusedOrigin.api_key == key_id
    )
    refused_at = {row.origin: row.refused_at for row in known}
    if origin in refused_at:
        oldest = refused_at[origin]
    elif len(refused_at) >= MAX_PER_KEY:
        oldest = min(refused_at.values())
    else:
        oldest = None
    is_due = oldest is None or now - oldest >= COUNTED_EVERY
    if is_due and (origin in refused_at or may_add()):
        _write(key_id, origin, now)


def _write(key_id: str, origin: str, now: datetime) -> None:
    with db.atomic():
        RefusedOrigin.insert(api_key=key_id, origin=origin, count=1, refused_at=now).on_conflict(
            conflict_target=[RefusedOrigin.api_key, RefusedOrigin.origin],
            preserve=[RefusedOrigin.refused_at],
            update={RefusedOrigin.count: RefusedOrigin.count + 1},
        ).execute()
        newest = (
            RefusedOrigin.select(RefusedOrigin.origin)
            .where(RefusedOrigin.api_key == key_id)
            .order_by(RefusedOrigin.refused_at.desc(), RefusedOrigin.origin)
            .limit(MAX_PER_KEY)
        )
        RefusedOrigin.delete().where(
            RefusedOrigin.api_key == key_id,
            RefusedOrigin.origin.not_in([row.origin for row in newest]),
        ).execute()


def list_refused_origins(page_id: str) -> dict[str, list[RefusedOrigin]]:
    """Return the origins that a page's keys refused, the latest first, by the key's id."""
    query = (
        RefusedOrigin.select(RefusedOrigin)
        .join(ApiKey)
        .where(ApiKey.page == page_id)
        .order_by(RefusedOrigin.refused_at.desc(), RefusedOrigin.origin)
    )
    by_key: defaultdict[str, list[RefusedOrigin]] = defaultdict(list)
    for refusal in query:
        by_key[refusal.api_key_id].append(refusal)
    return by_key


def list_lately_refused(owner: Person, since: datetime) -> dict[str, list[RefusedOrigin]]:
    """Return what live keys of an owner's pages refused since then, the latest first, by page."""
    query = (
        RefusedOrigin.select(RefusedOrigin, ApiKey)
        .join(ApiKey)
        .join(Page)
        .where(
            Page.owner == owner,
            ApiKey.revoked_at.is_null(),
            ApiKey.purpose == "sites",
            RefusedOrigin.refused_at >= since,
        )
        .order_by(RefusedOrigin.refused_at.desc(), RefusedOrigin.origin)
    )
    by_page: defaultdict[str, list[RefusedOrigin]] = defaultdict(list)
    for refusal in query:
        by_page[refusal.api_key.page_id].append(refusal)
    return by_page


def forget_refused_origin(key_id: str, origin: str) -> None:
    RefusedOrigin.delete().where(
        RefusedOrigin.api_key == key_id, RefusedOrigin.origin == origin.replace("\0", "")
    ).execute()
