"""The supply of a token: read with the balances that are shares of it, and kept with the mint."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from embed.balances.mints import TOKEN_PROGRAMS, ask
from embed.balances.rpc_endpoint import WrongAnswer
from embed.balances.rpc_results import (
    COMMITMENT,
    MAX_UNITS,
    Account,
    Mint,
    ParsedData,
    TokenSupply,
    UnusableAmount,
    read_amount,
)
from embed.balances.solana_rpc import SolanaRpc
from embed.db.models import Page, Token
from embed.domain.amounts import MAX_DECIMALS, apply_decimals

# Extensions of Token-2022 by which wallets show other amounts than accounts hold.
_SCALING = {"interestBearingConfig", "scaledUiAmountConfig"}


@dataclass(frozen=True, slots=True)
class Supply:
    amount: Decimal  # whole tokens, as wallets show them
    observed_at: datetime


def parse_supply(mint: Account) -> Decimal | None:
    """Return the whole tokens that a mint's account says there are; None if wallets scale them.

    Raises WrongAnswer.
    """
    if mint.owner not in TOKEN_PROGRAMS or not isinstance(mint.data, ParsedData):
        raise WrongAnswer("it has a mint of another form")
    if mint.data.parsed.type != "mint":
        raise WrongAnswer("it has an account in place of the mint")
    facts = msgspec.json.decode(mint.data.parsed.info, type=Mint)
    if int(facts.supply) > MAX_UNITS or facts.decimals > MAX_DECIMALS:
        raise WrongAnswer("it has a supply that no mint can have")
    if any(extension.extension in _SCALING for extension in facts.extensions):
        return None
    return apply_decimals(int(facts.supply), facts.decimals)


def read_scaled_supply(rpc: SolanaRpc, mint: str) -> Decimal | None:
    """Read a supply as wallets show it; None if it is too large or too fine to be stored.

    Raises NoSuchMint, RpcUnavailable, UnusableAnswer.
    """

    def parse(raw: msgspec.Raw) -> Decimal | None:
        try:
            return read_amount(msgspec.json.decode(raw, type=TokenSupply).value)
        except UnusableAmount:
            return None

    return ask(rpc, mint, "getTokenSupply", [mint, COMMITMENT], parse, None)


def store_supplies(supplies: Mapping[str, Supply]) -> list[str]:
    """Store supplies by their mints, and return the mints whose supply has changed.

    The caller gives their pages a new version in the same transaction.
    """
    if not supplies:
        return []
    known: Any = Token.select(Token.mint, Token.supply).where(Token.mint.in_(list(supplies)))
    changed = [mint for mint, amount in known.tuples() if amount != supplies[mint].amount]
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
