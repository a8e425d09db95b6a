"""The largest holders of a token, as reported by an RPC server."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from embed.balances.mints import INVALID_PARAMS, NoSuchMint, parse_supply
from embed.balances.rpc_endpoint import RpcRefused, WrongAnswer
from embed.balances.rpc_results import (
    COMMITMENT,
    PARSED,
    Account,
    LargestAccounts,
    UnusableAmount,
    read_amount,
)
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc
from embed.balances.token_accounts import MOST_ACCOUNTS, decode_accounts, find_holding
from embed.domain.addresses import is_address
from embed.domain.amounts import add
from embed.domain.texts import gettext_noop
from embed.errors import InvalidInput

NOBODY_TO_ASK = gettext_noop(
    "The largest holders can't be looked up, because this server isn't connected to an RPC server."
)
CALL_WITHIN_S = 3.0  # for each of the two calls that an owner waits for


@dataclass(frozen=True, slots=True)
class LargestHolders:
    """Whole tokens by the owners of the largest accounts, as wallets show them; most first."""

    amounts: dict[str, Decimal]
    supply: Decimal | None  # None: wallets show a different amount than the mint


def look_up_largest_holders(rpc: SolanaRpc | None, mint: str) -> LargestHolders:
    """Read a token's largest accounts and their owners. Never call it inside a transaction.

    Raises InvalidInput if the mint doesn't exist or no RPC server answers, and Busy.
    """
    if rpc is None:
        raise InvalidInput(NOBODY_TO_ASK)
    try:
        with rpc.concurrency_limit:
            accounts = _read_largest_accounts(rpc, mint)
            return _read_holders(rpc, mint, accounts)
    except NoSuchMint as mistake:
        raise InvalidInput(str(mistake)) from None
    except RpcRefused as refused:
        raise InvalidInput(
            "The RPC server doesn't list the largest holders (error %(code)s). Many refuse this "
            "request; the operator can try another provider.",
            code=str(refused.code),
        ) from None
    except RpcUnavailable as failure:
        raise InvalidInput(
            "The largest holders can't be looked up right now. %(failure)s Many RPC servers "
            "refuse this request; the operator can try another provider.",
            failure=failure,
        ) from None


def _read_largest_accounts(rpc: SolanaRpc, mint: str) -> list[str]:
    """Return the largest token accounts; Agave lists 20. Raises NoSuchMint, RpcRefused."""

    def parse(raw: msgspec.Raw) -> list[str]:
        found = [one.address for one in msgspec.json.decode(raw, type=LargestAccounts).value]
        if len(found) > MOST_ACCOUNTS or len(set(found)) < len(found):
            raise WrongAnswer("it has too many accounts, or one twice")
        if not all(map(is_address, found)):
            raise WrongAnswer("it has an account that isn't an address")
        return found

    params = [mint, COMMITMENT]
    try:
        return rpc.call("getTokenLargestAccounts", params, parse=parse, timeout_s=CALL_WITHIN_S)
    except RpcRefused as refused:
        if refused.code == INVALID_PARAMS:
            raise NoSuchMint(mint) from None
        raise


def _read_holders(rpc: SolanaRpc, mint: str, accounts: Sequence[str]) -> LargestHolders:
    """Return what these accounts' owners hold in them; accounts closed meanwhile hold nothing.

    The mint is read too, for its supply.
    """
    wanted = [*accounts, mint]

    def parse(raw: msgspec.Raw) -> LargestHolders:
        _, token_accounts, mint_account = decode_accounts(raw, len(wanted))
        amounts = _add_up(token_accounts, mint)
        by_amount = sorted(amounts, key=lambda address: (-amounts[address], address))
        return LargestHolders(
            {address: amounts[address] for address in by_amount}, parse_supply(mint_account)
        )

    params = [wanted, PARSED]
    return rpc.call("getMultipleAccounts", params, parse=parse, timeout_s=CALL_WITHIN_S)


def _add_up(accounts: Sequence[Account | None], mint: str) -> dict[str, Decimal]:
    """Raises WrongAnswer."""
    amounts: dict[str, Decimal] = {}
    for account in accounts:
        holding = find_holding(account, mint)
        if holding is None:
            continue
        if not is_address(holding.owner):
            raise WrongAnswer("it has an owner that isn't an address")
        try:
            amount = read_amount(holding.token_amount)
        except UnusableAmount:
            continue
        if amount:
            amounts[holding.owner] = add(amounts.get(holding.owner, Decimal(0)), amount)
    return amounts
