"""The key that the dashboard uses for its preview of a page."""

import hmac
from datetime import datetime

from embed.db.models import ApiKey
from embed.domain.identifiers import BASE62
from embed.domain.key_format import PREFIXES, RANDOM_LENGTH, hash_key, shorten_key


def get_preview_key(page_id: str, secret_key: str, now: datetime) -> str:
    """Return the page's preview key, a public key; create it the first time.

    It lists no origin, so it works on the service's own pages only. It is derived from the
    installation's secret, since a key cannot be read back from its hash. A changed secret gives
    another key, which takes the place of the previous one.
    """
    digest = hmac.digest(secret_key.encode(), f"preview {page_id}".encode(), "sha512")
    key = PREFIXES["public"] + "".join(BASE62[byte % 62] for byte in digest[:RANDOM_LENGTH])
    ApiKey.insert(
        page=page_id,
        tier="public",
        key_hash=hash_key(key),
        display_prefix=shorten_key(key),
        is_preview=True,
        created_at=now,
    ).on_conflict(
        conflict_target=[ApiKey.page],
        conflict_where=ApiKey.is_preview,
        preserve=[ApiKey.key_hash, ApiKey.display_prefix],
        update={ApiKey.revoked_at: None},  # earlier versions revoked the previous key
    ).execute()
    return key
