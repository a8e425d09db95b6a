"""Sample submissions of the last weeks, so that the demo's dashboard is not empty."""

import random
from datetime import datetime, timedelta
from typing import Any

import base58

from embed.db.models import APPROVED, Submission, Wallet
from embed.domain.identifiers import make_id

DAYS = 21
# status, reason, count
_OUTCOMES = (
    ("approved", None, 24),
    ("auto_approved", None, 6),
    ("rejected", "manual", 7),
    ("soft_rejected", "ca_gate", 4),
    ("soft_rejected", "cooldown", 2),
    ("pending", None, 6),
)


def create_submissions(page_id: str, key_id: str, now: datetime) -> None:
    """Store submissions of the last weeks; the pending ones are from the last day."""
    rng = random.Random(2026)  # noqa: S311 -- decoration
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
                "wallet_address": wallet.address if wallet else _make_address(rng),
                "nickname": (wallet and wallet.public_alias) or f"Demo visitor {number}",
                "status": status,
                "reject_reason": reason,
                "session_id": make_id(),
            }
            rows.append(row | _choose_times(rng, status, now))
    Submission.insert_many(rows).execute()
    for row in rows:
        if row["status"] in APPROVED:
            Wallet.update(submission=row["id"]).where(
                Wallet.page == page_id, Wallet.address == row["wallet_address"]
            ).execute()


def _choose_times(rng: random.Random, status: str, now: datetime) -> dict[str, datetime | None]:
    is_pending = status == "pending"
    age = timedelta(minutes=rng.randrange(30, 60 * 24 * (1 if is_pending else DAYS)))
    is_decided_at_once = status in ("auto_approved", "soft_rejected")
    delay = timedelta() if is_decided_at_once else age * rng.uniform(0.05, 0.5)
    created_at = now - age
    return {"created_at": created_at, "decided_at": None if is_pending else created_at + delay}


def _make_address(rng: random.Random) -> str:
    return base58.b58encode(rng.randbytes(32)).decode()
