"""Sample submissions and balances of the last weeks, so that the demo's dashboard is not empty."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import base58

from embed.balances.mints import TOKEN_PROGRAM, derive_token_account
from embed.db.models import APPROVED, ChainBalance, DailyBalance, Submission, Wallet
from embed.demo.market import UNITS
from embed.domain.identifiers import make_id

SUBMISSION_DAYS, BALANCE_DAYS = 21, 30
_DAY = timedelta(days=1)
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
    age = timedelta(minutes=rng.randrange(30, 60 * 24 * (1 if is_pending else SUBMISSION_DAYS)))
    is_decided_at_once = status in ("auto_approved", "soft_rejected")
    delay = timedelta() if is_decided_at_once else age * rng.uniform(0.05, 0.5)
    created_at = now - age
    return {"created_at": created_at, "decided_at": None if is_pending else created_at + delay}


def _make_address(rng: random.Random) -> str:
    return base58.b58encode(rng.randbytes(32)).decode()


def create_balances(mint: str, addresses: Sequence[str], now: datetime) -> None:
    """Store a balance of each address and day; a few hold much, most hold little."""
    rng = random.Random(2026)  # noqa: S311 -- sample data, the same in every demo
    for address in addresses:
        units = round(rng.lognormvariate(9, 2.5) * 100) * UNITS // 100
        newest = ChainBalance.create(
            mint=mint,
            address=address,
            token_account=derive_token_account(address, mint, TOKEN_PROGRAM),
            amount=Decimal(units) / UNITS,
            slot=0,
            observed_at=now,
            all_observed_at=now,
        )
        DailyBalance.insert_many(_make_days(rng, newest, now)).execute()


def _make_days(
    rng: random.Random, newest: ChainBalance, now: datetime
) -> list[Mapping[str, object]]:
    """Go back in time from the newest balance: each day a little more or less."""
    rows: list[Mapping[str, object]] = []
    amount, drift = newest.amount, Decimal(rng.randint(-4, 4))
    for age in range(BALANCE_DAYS + 1):
        observed_at = now - age * _DAY
        day = int(observed_at.timestamp()) // int(_DAY.total_seconds())
        rows.append(
            {"balance": newest.id, "day": day, "amount": amount, "observed_at": observed_at}
        )
        percent = 100 - drift + rng.randint(-6, 6) * (rng.random() < 0.5)
        amount = (amount * percent / 100).quantize(Decimal("0.01"))
    return rows


def read_units(mint: str) -> dict[str, int]:
    """Return what each address holds, in units, as it was observed last."""
    rows = ChainBalance.select().where(ChainBalance.mint == mint)
    return {row.address: int(row.amount * UNITS) for row in rows}
