"""What the chain says of a token's supply."""

from decimal import Decimal

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
from embed.domain.amounts import MAX_DECIMALS, apply_decimals

# Extensions of Token-2022 by which wallets show other amounts than accounts hold.
_SCALING = {"interestBearingConfig", "scaledUiAmountConfig"}


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
