"""The embed doctor: which sites a key's allowlist kept out lately."""

from datetime import datetime

from embed.database import db
from embed.models import ApiKey, RefusedOrigin

MAX_PER_KEY = 20  # the oldest makes room, so that nobody can fill the table
MAX_LENGTH = 300


def record_refusal(key_id: str, origin: str, now: datetime) -> None:
    """Count one refused request; `origin` is the normal form of what the caller said."""
    if len(origin) > MAX_LENGTH:
        return
    with db.atomic():
        RefusedOrigin.insert(api_key=key_id, origin=origin, count=1, refused_at=now).on_conflict(
            conflict_target=[RefusedOrigin.api_key, RefusedOrigin.origin],
            preserve=[RefusedOrigin.refused_at],
            update={RefusedOrigin.count: RefusedOrigin.count + 1},
        ).execute()
        kept = (
            RefusedOrigin.select(RefusedOrigin.origin)
            .where(RefusedOrigin.api_key == key_id)
            .order_by(RefusedOrigin.refused_at.desc(), RefusedOrigin.origin)
            .limit(MAX_PER_KEY)
        )
        RefusedOrigin.delete().where(
            RefusedOrigin.api_key == key_id,
            RefusedOrigin.origin.not_in([row.origin for row in kept]),
        ).execute()


def list_refusals(key: ApiKey) -> list[RefusedOrigin]:
    query = RefusedOrigin.select().where(RefusedOrigin.api_key == key)
    return list(query.order_by(RefusedOrigin.refused_at.desc(), RefusedOrigin.origin))


def forget_refusal(key_id: str, origin: str) -> None:
    RefusedOrigin.delete().where(
        RefusedOrigin.api_key == key_id, RefusedOrigin.origin == origin
    ).execute()
