"""Writes observations of the chain, with their history, for tests."""

from datetime import datetime, timedelta
from decimal import Decimal

from embed.db.models import ChainBalance, DailyBalance
from embed.domain.times import count_days

TOKEN_ACCOUNT = "3oCn7GSAMnF5czrHA1ZSHxiTQ1dQ2rDh4LTBgA4ZTzwq"


def record_history(
    mint: str, address: str, now: datetime, amount: str, earlier: dict[timedelta, str]
) -> None:
    """Record what an address holds, and what it held: the first observation of each day is kept.

    `earlier` has the age of each observation, which must be on days of their own.
    """
    newest = ChainBalance.create(
        mint=mint,
        address=address,
        token_account=TOKEN_ACCOUNT,
        amount=Decimal(amount),
        slot=1,
        observed_at=now,
    )
    for age, held in earlier.items():
        DailyBalance.create(
            balance=newest,
            day=count_days(now - age),
            amount=Decimal(held),
            observed_at=now - age,
        )
