"""What a bearer key gives access to: looked up by its hash at every request."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from peewee import Field, fn

from embed.db.connection import best_effort, db
from embed.db.models import ApiKey, Block, Page
from embed.db.statements import Parameter, Statement
from embed.domain.concurrency import Busy, ConcurrencyLimit
from embed.domain.identifiers import hash_key, is_id, is_key
from embed.errors import ApiError

USE_STORED_EVERY = timedelta(hours=1)
_storing = ConcurrencyLimit(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A key and the state of its page, read by one statement."""

    key_id: str
    page_id: str
    tier: str
    origins: tuple[str, ...]
    is_link: bool  # the share link's key: any site may frame the page's widget
    allows_null_origin: bool
    is_revoked: bool
    page_version: int
    is_page_deleted: bool
    is_page_open: bool  # public, and embedding is on
    min_balance: Decimal  # which a wallet needs to be submitted; 0: none
    has_blocks: bool  # the page's deny list, or its owner's for all pages, has an entry
    last_used_at: datetime | None


def get_access(raw_key: str) -> Access:
    """Return the access that a key gives. Raises ApiError `invalid_key`, `revoked_key`."""
    access = find_access(raw_key) if is_key(raw_key) else None
    if access is None:
        raise ApiError("invalid_key")
    if access.is_revoked:
        raise ApiError("revoked_key")
    return access


def find_access(key: str) -> Access | None:
    """Look up a key.

    The row is read at every request, so a revocation takes effect at the next one.
    """
    found = _FIND_ACCESS.execute(key_hash=hash_key(key)).fetchone()
    return None if found is None else _read_row(found)


@lru_cache(maxsize=1024)
def _read_row(found: tuple[Any, ...]) -> Access:
    """Convert values as the database stores them; a key's are converted once until they change."""
    values = {
        name: column.python_value(value) if isinstance(column, Field) else value  # type: ignore[no-untyped-call]  # peewee's
        for (name, column), value in zip(_COLUMNS.items(), found, strict=True)
    }
    row = SimpleNamespace(**values)
    return Access(
        key_id=row.key_id,
        page_id=row.page_id,
        tier=row.tier,
        origins=row.origins,
        allows_null_origin=row.allows_null_origin,
        is_link=row.purpose == "link",
        is_revoked=row.revoked_at is not None,
        page_version=row.page_version,
        is_page_deleted=row.page_deleted_at is not None,
        is_page_open=row.is_public and row.is_embeddable,
        min_balance=row.min_balance,
        has_blocks=bool(row.has_blocks),
        last_used_at=row.last_used_at,
    )


_COLUMNS = {
    "key_id": ApiKey.id,
    "page_id": ApiKey.page,
    "tier": ApiKey.tier,
    "purpose": ApiKey.purpose,
    "origins": ApiKey.origins,
    "allows_null_origin": ApiKey.allow_null_origin,
    "revoked_at": ApiKey.revoked_at,
    "last_used_at": ApiKey.last_used_at,
    "page_version": Page.version,
    "page_deleted_at": Page.deleted_at,
    "is_public": Page.is_public,
    "is_embeddable": Page.is_embeddable,
    "min_balance": Page.min_balance,
    "has_blocks": fn.EXISTS(Block.select(1).where(Block.page == Page.id))
    | fn.EXISTS(Block.select(1).where(Block.person == Page.owner)),
}
_FIND_ACCESS = Statement(
    ApiKey.select(*_COLUMNS.values()).join(Page).where(ApiKey.key_hash == Parameter("key_hash"))
)


def read_page_allowlist(page_id: str) -> tuple[set[str], bool]:
    """Return the origins that the page's live public keys allow, and whether one allows null."""
    if not is_id(page_id):
        return set(), False
    keys = list(
        ApiKey.select(ApiKey.origins, ApiKey.allow_null_origin).where(
            ApiKey.page == page_id, ApiKey.tier == "public", ApiKey.revoked_at.is_null()
        )
    )
    origins = {origin for key in keys for origin in key.origins}
    return origins, any(key.allow_null_origin for key in keys)


def store_use(access: Access, now: datetime) -> None:
    """Store when a key was last used, at most once an hour to save writes."""
    if access.last_used_at is None or now - access.last_used_at >= USE_STORED_EVERY:
        # While the database is locked, one request waits for it and the others go on reading.
        with suppress(Busy), _storing, best_effort(), db.atomic():
            ApiKey.update(last_used_at=now).where(ApiKey.id == access.key_id).execute()
