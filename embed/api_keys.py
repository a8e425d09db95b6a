"""Bearer keys: made once, found by their hash at every request."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from peewee import Database

from embed import activity
from embed.activity import COMMAND_LINE
from embed.database import db, fetch_first
from embed.domain.identifiers import is_id
from embed.domain.key_format import (
    Tier,
    hash_key,
    make_key,
    shorten_key,
)
from embed.domain.origins import parse_allowlist_entry
from embed.domain.times import from_ms
from embed.errors import InvalidInput, NotFound
from embed.models import ApiKey, Page
from embed.pages import get_page, lock_page

USE_NOTED_EVERY = timedelta(hours=1)
MAX_ORIGINS = 100  # the widget names them all in one header


@dataclass(frozen=True, slots=True)
class Access:
    """What a key opens, and the state of its page: all that one statement tells."""

    key_id: str
    page_id: str
    tier: str
    origins: tuple[str, ...]
    allows_null_origin: bool
    is_revoked: bool
    page_version: int
    is_page_deleted: bool
    is_page_open: bool  # public, and embedding is on
    last_used_at: datetime | None


def find_access(key: str) -> Access | None:
    """Look a key up; the hot path of every request, so the statement is compiled once.

    Nothing of this is remembered: a revocation counts from the next request on.
    """
    row = fetch_first(_access_statement(db.obj), (hash_key(key),))
    if row is None:
        return None
    (
        key_id,
        page_id,
        tier,
        origins,
        allows_null,
        revoked_at,
        version,
        deleted_at,
        is_public,
        is_embeddable,
        last_used_ms,
    ) = row
    return Access(
        key_id,
        page_id,
        tier,
        tuple(origins.split()),
        bool(allows_null),
        revoked_at is not None,
        version,
        deleted_at is not None,
        bool(is_public and is_embeddable),
        None if last_used_ms is None else from_ms(last_used_ms),
    )


@lru_cache(maxsize=1)
def _access_statement(_database: Database) -> str:
    query = (
        ApiKey.select(
            ApiKey.id,
            ApiKey.page,
            ApiKey.tier,
            ApiKey.origins,
            ApiKey.allow_null_origin,
            ApiKey.revoked_at,
            Page.version,
            Page.deleted_at,
            Page.is_public,
            Page.is_embeddable,
            ApiKey.last_used_at,
        )
        .join(Page)
        .where(ApiKey.key_hash == "")
    )
    sql: str = query.sql()[0]
    return sql


def is_listed_by_live_key(page_id: str, origin: str | None) -> bool:
    """Tell whether any public, unrevoked key of the page lets this origin in (spec 4.5).

    `origin` None stands for the null origin.
    """
    if not is_id(page_id):
        return False
    keys = ApiKey.select(ApiKey.origins, ApiKey.allow_null_origin).where(
        ApiKey.page == page_id, ApiKey.tier == "public", ApiKey.revoked_at.is_null()
    )
    return any(key.allow_null_origin if origin is None else origin in key.origins for key in keys)


def create_key(
    page_id: str,
    tier: Tier,
    *,
    raw_origins: Sequence[str] = (),
    allow_null_origin: bool = False,
    now: datetime,
    actor: str = COMMAND_LINE,
) -> tuple[ApiKey, str]:
    """Make a key; the second value is the whole key, which cannot be had again.

    Raises NotFound, InvalidInput.
    """
    if tier == "secret" and (raw_origins or allow_null_origin):
        raise InvalidInput("A secret key has no origins: any server that holds it may use it.")
    key = make_key(tier)
    origins = parse_allowlist(raw_origins)
    with db.atomic():
        page = lock_page(page_id)
        kept = ApiKey.create(
            page=page,
            tier=tier,
            key_hash=hash_key(key),
            display_prefix=shorten_key(key),
            origins=origins,
            allow_null_origin=allow_null_origin,
            created_at=now,
        )
        activity.record(page.id, actor, "create key", _name(kept), now)
    return kept, key


def parse_allowlist(raw_origins: Iterable[str]) -> tuple[str, ...]:
    """Return normalised entries, each once. Raises InvalidInput with advice."""
    origins = tuple(dict.fromkeys(parse_allowlist_entry(raw) for raw in raw_origins))
    if len(origins) > MAX_ORIGINS:
        raise InvalidInput(f"A key lists at most {MAX_ORIGINS} sites.")
    return origins


def list_keys(page_id: str) -> list[ApiKey]:
    """Return what owners made, oldest first. Raises NotFound."""
    page = get_page(page_id)
    keys = ApiKey.select().where(ApiKey.page == page, ~ApiKey.is_preview)
    return list(keys.order_by(ApiKey.created_at, ApiKey.id))


def change_origins(
    key_id: str,
    raw_origins: Iterable[str],
    *,
    allow_null_origin: bool,
    now: datetime,
    actor: str = COMMAND_LINE,
) -> ApiKey:
    """Set who may use a public key. Raises NotFound, InvalidInput."""
    origins = parse_allowlist(raw_origins)
    with db.atomic():
        key = _lock_key(key_id)
        if key.tier != "public":
            raise InvalidInput("A secret key has no origins.")
        key.origins = origins
        key.allow_null_origin = allow_null_origin
        key.save(only=[ApiKey.origins, ApiKey.allow_null_origin])
        activity.record(key.page_id, actor, "change origins", _name(key), now)
    return key


def allow_origin(key_id: str, raw_origin: str, *, now: datetime, actor: str) -> ApiKey:
    """Put one more site on a key's list. Raises NotFound, InvalidInput."""
    with db.atomic():
        key = _lock_key(key_id)
        return change_origins(
            key_id,
            (*key.origins, raw_origin),
            allow_null_origin=key.allow_null_origin,
            now=now,
            actor=actor,
        )


def revoke_key(key_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> ApiKey:
    """Refuse a key from now on; a key that was revoked keeps its time. Raises NotFound."""
    with db.atomic():
        key = _lock_key(key_id)
        if key.revoked_at is None:
            key.revoked_at = now
            key.save(only=[ApiKey.revoked_at])
            activity.record(key.page_id, actor, "revoke key", _name(key), now)
    return key


def note_use(access: Access, now: datetime) -> None:
    """Remember that a key is in use, to the hour: one write an hour, not one a request."""
    if access.last_used_at is None or now - access.last_used_at >= USE_NOTED_EVERY:
        ApiKey.update(last_used_at=now).where(ApiKey.id == access.key_id).execute()


def _get_key(key_id: str) -> ApiKey:
    key = ApiKey.get_or_none(ApiKey.id == key_id)
    if key is None:
        raise NotFound(f"There is no key {key_id}.")
    return key


def _lock_key(key_id: str) -> ApiKey:
    lock_page(_get_key(key_id).page_id)
    return _get_key(key_id)


def _name(key: ApiKey) -> str:
    return f"{key.tier} {key.display_prefix}"
