"""Keys that owners don't see: for the dashboard's preview and for share links.

They're public keys without origins, so the API answers only the service's own pages. Each is
derived from the installation's secret, since a key can't be read back from its hash; a new secret
gives a new key, which replaces the previous one.
"""

import hmac
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from peewee import ValueLiterals

from embed.db.models import ApiKey, Page
from embed.domain.identifiers import (
    BASE62,
    PREFIXES,
    RANDOM_LENGTH,
    hash_key,
    is_id,
    make_key,
    shorten_key,
)
from embed.events.editing import COMMAND_LINE, editing
from embed.events.kinds import ChangeFacts

_OF_LINK = ApiKey.purpose == "link"
_IS_SHARED = _OF_LINK & ApiKey.revoked_at.is_null()


def get_preview_key(page_id: str, secret_key: str, now: datetime) -> str:
    """Return the page's preview key; create it the first time."""
    key = _derive("preview", page_id, secret_key)
    ApiKey.insert(
        page=page_id, tier="public", purpose="preview", created_at=now, **_describe(key)
    ).on_conflict(
        conflict_target=[ApiKey.page, ApiKey.purpose],
        # Not a parameter: the databases compare it literally with the index.
        conflict_where=ValueLiterals(ApiKey.purpose != "sites"),
        preserve=[ApiKey.key_hash, ApiKey.display_prefix],
        update={ApiKey.revoked_at: None},  # earlier versions revoked the previous key
    ).execute()
    return key


def share_page(page_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> None:
    """Turn a page's share link on: anyone may read it there, and any site may frame its widget.

    Does nothing if it's already on. Raises NotFound.
    """
    with editing(page_id, actor, now) as edit:
        if not is_shared(page_id):
            _renew_link(page_id, now)
            edit.log("change page", ChangeFacts({"is_shared": True}))


def stop_sharing(page_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> None:
    """Turn the page's share link off, its key included; no-op if it's off. Raises NotFound."""
    with editing(page_id, actor, now) as edit:
        if is_shared(page_id):
            ApiKey.update(revoked_at=now).where(ApiKey.page == page_id, _OF_LINK).execute()
            edit.log("change page", ChangeFacts({"is_shared": False}))


def is_shared(page_id: str) -> bool:
    return ApiKey.select().where(ApiKey.page == page_id, _IS_SHARED).exists()


def find_shared_page(page_id: str) -> Page | None:
    """Return a page with a share link, unless it's private, switched off or deleted."""
    if not is_id(page_id):
        return None
    return (
        Page.select()
        .join(ApiKey)
        .where(
            Page.id == page_id,
            Page.is_public,
            Page.is_embeddable,
            Page.deleted_at.is_null(),
            _IS_SHARED,
        )
        .get_or_none()
    )


def get_link_key(page: Page, secret_keys: Sequence[str]) -> str:
    """Return the key of a page's share link.

    A key of any of the secrets is kept: machines get a new one at different times and must agree.
    """
    keys = [_derive("link", page.id, secret_key) for secret_key in secret_keys]
    stored = ApiKey.select(ApiKey.key_hash).where(ApiKey.page == page, _IS_SHARED).scalar()
    for key in keys:
        if hash_key(key) == stored:
            return key
    # None matches at first, if all secrets are new, or if the page came from elsewhere.
    ApiKey.update(_describe(keys[0])).where(ApiKey.page == page, _IS_SHARED).execute()
    return keys[0]


def _renew_link(page_id: str, now: datetime) -> None:
    if not ApiKey.update(revoked_at=None).where(ApiKey.page == page_id, _OF_LINK).execute():
        described = _describe(make_key("public"))  # get_link_key replaces it
        ApiKey.create(page=page_id, tier="public", purpose="link", created_at=now, **described)


def _derive(purpose: str, page_id: str, secret_key: str) -> str:
    digest = hmac.digest(secret_key.encode(), f"{purpose} {page_id}".encode(), "sha512")
    return PREFIXES["public"] + "".join(BASE62[byte % 62] for byte in digest[:RANDOM_LENGTH])


def _describe(key: str) -> dict[str, Any]:
    return {"key_hash": hash_key(key), "display_prefix": shorten_key(key)}
