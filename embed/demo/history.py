"""What visitors of the demo sent before it began, so that its dashboard has life in it."""

import random
from datetime import datetime, timedelta
from typing import Any

import base58

from embed.db.models import Submission, Wallet
from embed.domain.identifiers import make_id

DAYS = 21
# status, reason, how many
_OUTCOMES = (
    ("approved", None, 24),
    ("auto_approved", None, 6),
    ("rejected", "manual", 7),
    ("soft_rejected", "ca_gate", 4),
    ("soft_rejected", "cooldown", 2),
    ("pending", None, 6),
)


def make_past(page_id: str, key_id: str, now: datetime) -> None:
    """Keep submissions of the last weeks; those that wait are from the last day."""
    draw = random.Random(2026)  # noqa: S311 -- decoration
    tracked = iter(Wallet.select().where(Wallet.page == page_id).order_by(Wallet.created_at))
    rows: list[dict[str, Any]] = []
    for status, reason, count in _OUTCOMES:
        for _ in range(count):
            number = len(rows) + 1
            wallet = next(tracked) if status.endswith("approved") else None
            row = {
                "id": make_id(),
                "page": page_id,
                "api_key": key_id,
                "wallet_address": wallet.address if wallet else _make_address(draw),
                "nickname": (wallet and wallet.public_alias) or f"Demo visitor {number}",
                "status": status,
                "reject_reason": reason,
                "session_id": make_id(),
            }
            rows.append(row | _draw_times(draw, status, now))
    Submission.insert_many(rows).execute()


def _draw_times(draw: random.Random, status: str, now: datetime) -> dict[str, datetime | None]:
    waits = status == "pending"
    age = timedelta(minutes=draw.randrange(30, 60 * 24 * (1 if waits else DAYS)))
    is_at_once = status in ("auto_approved", "soft_rejected")
    thought = timedelta() if is_at_once else age * draw.uniform(0.05, 0.5)
    sent_at = now - age
    return {"created_at": sent_at, "decided_at": None if waits else sent_at + thought}


def _make_address(draw: random.Random) -> str:
    return base58.b58encode(draw.randbytes(32)).decode()
