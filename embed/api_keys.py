"""Bearer keys: made once, found by their hash at every request."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from peewee import Database

from embed.database import db, fetch_first
from embed.domain.identifiers import is_id
from embed.domain.key_format import Tier, hash_key, make_key, shorten_key
from embed.domain.origins import parse_allowlist_entry
from embed.errors import InvalidInput, NotFound
from embed.models import ApiKey, Page
from embed.pages import get_page


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
) -> tuple[ApiKey, str]:
    """Make a key; the second value is the whole key, which cannot be had again.

    Raises NotFound, InvalidInput.
    """
    if tier == "secret" and (raw_origins or allow_null_origin):
        raise InvalidInput("A secret key has no origins: any server that holds it may use it.")
    page = get_page(page_id)
    key = make_key(tier)
    kept = ApiKey.create(
        page=page,
        tier=tier,
        key_hash=hash_key(key),
        display_prefix=shorten_key(key),
        origins=tuple(dict.fromkeys(parse_allowlist_entry(raw) for raw in raw_origins)),
        allow_null_origin=allow_null_origin,
        created_at=now,
    )
    return kept, key


def list_keys(page_id: str) -> list[ApiKey]:
    """Raises NotFound."""
    page = get_page(page_id)
    keys = ApiKey.select().where(ApiKey.page == page)
    return list(keys.order_by(ApiKey.created_at, ApiKey.id))


def revoke_key(key_id: str, now: datetime) -> ApiKey:
    """Refuse a key from now on; a key that was revoked keeps its time. Raises NotFound."""
    ApiKey.update(revoked_at=now).where(ApiKey.id == key_id, ApiKey.revoked_at.is_null()).execute()
    key = ApiKey.get_or_none(ApiKey.id == key_id)
    if key is None:
        raise NotFound(f"There is no key {key_id}.")
    return key
