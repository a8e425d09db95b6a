"""The supply of a token, which is kept with its mint: balances are shares of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from embed.db.models import Page, Token


@dataclass(frozen=True, slots=True)
class Supply:
    amount: Decimal  # whole tokens, as wallets show them
    observed_at: datetime


def store_supplies(supplies: Mapping[str, Supply]) -> list[str]:
    """Store supplies by their mints, and return the mints whose supply has changed.

    One that an older version read without its time was not shown until now, so it
    counts as changed. The caller gives their pages a new version in the same transaction.
    """
    if not supplies:
        return []
    known: Any = Token.select(Token.mint, Token.supply, Token.supply_observed_at).where(
        Token.mint.in_(list(supplies))
    )
    changed = [
        mint
        for mint, amount, observed_at in known.tuples()
        if observed_at is None or amount != supplies[mint].amount
    ]
    for mint, supply in sorted(supplies.items()):
        Token.update(supply=supply.amount, supply_observed_at=supply.observed_at).where(
            Token.mint == mint
        ).execute()
    return changed


def find_supply(page: Page, *, uses_chain: bool) -> Supply | None:
    """Return what was read last of the page's mint, if an endpoint is set.

    What was read without its time, by version 0.6 and before, may be of another day than the
    balances.
    """
    if not uses_chain:
        return None
    is_read = Token.supply_observed_at.is_null(False)
    token = Token.get_or_none(Token.mint == page.token_mint, is_read)
    return None if token is None else Supply(token.supply, token.supply_observed_at)
