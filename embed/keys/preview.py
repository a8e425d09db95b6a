"""The key that the dashboard uses for its preview of a page."""

import hmac
from datetime import datetime

from embed.db.models import ApiKey
from embed.domain.identifiers import BASE62
from embed.domain.key_format import PREFIXES, RANDOM_LENGTH, hash_key, shorten_key


def get_preview_key(page_id: str, secret_key: str, now: datetime) -> str:
    """Return the page's preview key, a public key; create it the first time.

    It lists no origin, so it works on the service's own pages only. It is derived from the
    installation's secret, since a key cannot be read back from its hash.
    """
    digest = hmac.digest(secret_key.encode(), f"preview {page_id}".encode(), "sha512")
    key = PREFIXES["public"] + "".join(BASE62[byte % 62] for byte in digest[:RANDOM_LENGTH])
    # A changed secret gives another key; revoke the previous one.
    ApiKey.update(revoked_at=now).where(
        ApiKey.page == page_id,
        ApiKey.is_preview,
        ApiKey.key_hash != hash_key(key),
        ApiKey.revoked_at.is_null(),
    ).execute()
    ApiKey.insert(
        page=page_id,
        tier="public",
        key_hash=hash_key(key),
        display_prefix=shorten_key(key),
        is_preview=True,
        created_at=now,
    ).on_conflict_ignore().execute()
    return key
