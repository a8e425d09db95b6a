"""What the chain says of a mint."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

import base58

from embed.balances.program_addresses import TOKEN_PROGRAMS, derive_metadata_account
from embed.balances.rpc_endpoint import RpcRefused, WrongAnswer
from embed.balances.rpc_results import (
    COMMITMENT,
    PARSED,
    Account,
    Accounts,
    Mint,
    ParsedData,
    Supply,
    UnusableAmount,
    read_amount,
    read_as,
)
from embed.balances.solana_rpc import SolanaRpc, UnusableAnswer
from embed.balances.token_names import find_extension_names, find_metaplex_names
from embed.domain.amounts import MAX_DECIMALS
from embed.domain.times import Seconds

T = TypeVar("T")

_INVALID_PARAMS = -32602


class NoSuchMint(Exception):
    """The address is no mint whose balances can be read; the text is a sentence."""

    def __init__(self, mint: str, reason: str = "is not the mint of a token") -> None:
        super().__init__(f"{mint} {reason}.")


@dataclass(frozen=True, slots=True)
class TokenInfo:
    mint: str
    program: str
    decimals: int
    name: str | None
    symbol: str | None
    supply: Decimal | None  # whole tokens; None: too many, or too fine


def read_token(rpc: SolanaRpc, mint: str, *, timeout_s: Seconds | None = None) -> TokenInfo:
    """Read a mint, in two calls. Raises NoSuchMint, RpcUnavailable."""
    ends_at = None if timeout_s is None else time.monotonic() + timeout_s
    accounts = [mint, derive_metadata_account(mint)]

    def parse(raw: Any) -> TokenInfo:
        answer = read_as(Accounts, raw)
        if len(answer.value) != len(accounts):
            raise WrongAnswer("it has another number of accounts")
        return _read_mint(mint, *answer.value)

    def parse_supply(raw: Any) -> Decimal | None:
        try:
            return read_amount(read_as(Supply, raw).value)
        except UnusableAmount:
            return None

    info = ask(rpc, mint, "getMultipleAccounts", [accounts, PARSED], parse, timeout_s)
    left_s = None if ends_at is None else ends_at - time.monotonic()
    supply = ask(rpc, mint, "getTokenSupply", [mint, COMMITMENT], parse_supply, left_s)
    return replace(info, supply=supply)


def ask(
    rpc: SolanaRpc,
    mint: str,
    method: str,
    params: list[Any],
    parse: Callable[[Any], T],
    timeout_s: Seconds | None,
) -> T:
    """Call a method that needs a mint. Raises NoSuchMint, RpcUnavailable, UnusableAnswer."""
    try:
        return rpc.call(method, params, parse=parse, timeout_s=timeout_s)
    except RpcRefused as refused:
        if refused.code == _INVALID_PARAMS:
            raise NoSuchMint(mint) from None
        raise UnusableAnswer(str(refused)) from None


def _read_mint(mint: str, account: Account | None, metadata: Account | None) -> TokenInfo:
    if account is None or account.owner not in TOKEN_PROGRAMS:
        raise NoSuchMint(mint)
    if not isinstance(account.data, ParsedData):
        raise WrongAnswer("it has an account of another form")
    if account.data.parsed.type != "mint":
        raise NoSuchMint(mint)
    facts = read_as(Mint, account.data.parsed.info)
    if not facts.is_initialized:
        raise NoSuchMint(mint)
    if facts.decimals > MAX_DECIMALS:
        raise NoSuchMint(mint, f"has {facts.decimals} decimals; at most {MAX_DECIMALS} work")
    name, symbol = find_extension_names(facts.extensions, mint)
    if name is None and symbol is None:
        name, symbol = find_metaplex_names(metadata, base58.b58decode(mint))
    return TokenInfo(mint, account.owner, facts.decimals, name, symbol, Decimal(0))
