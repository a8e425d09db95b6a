"""Sample balances of the last weeks, so that the demo's lists show changes from the start."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from embed.balances.mints import TOKEN_PROGRAM, derive_token_account
from embed.db.models import ChainBalance, DailyBalance
from embed.demo.market import UNITS

DAYS = 30
_DAY = timedelta(days=1)


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
    for age in range(DAYS + 1):
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
