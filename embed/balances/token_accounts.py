"""What token accounts hold, according to the chain: those of one owner, and a token's largest."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from embed.balances.mints import (
    SYSTEM_PROGRAM,
    TOKEN_PROGRAM,
    TOKEN_PROGRAMS,
    NoSuchMint,
    explaining_refusals,
    parse_supply,
)
from embed.balances.rpc_endpoint import INVALID_PARAMS, MOST_IN_CALL, RpcRefused, WrongAnswer
from embed.balances.rpc_results import (
    COMMITMENT,
    PARSED,
    Account,
    Holding,
    LargestAccounts,
    OwnedAccounts,
    ParsedData,
    UnusableAmount,
    read_amount,
)
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc, UnusableAnswer
from embed.domain.addresses import derive_token_account, is_address
from embed.domain.amounts import add
from embed.domain.texts import gettext_noop
from embed.domain.times import Seconds
from embed.errors import InvalidInput

MOST_ACCOUNTS = MOST_IN_CALL - 1  # the mint is read, too
_ACCOUNT_BYTES = 165  # Token-2022's may be larger
_NO_DATA = ("", "base64")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AssociatedAccounts:
    slot: int
    amounts: dict[str, Decimal]  # whole tokens by owner, as wallets show them
    given_away: list[str]  # owners whose account now has another owner
    supply: Decimal | None  # of the mint, in whole tokens; None: wallets show a different amount


@dataclass(frozen=True, slots=True)
class AllAccounts:
    """The whole tokens of an owner, as wallets show them."""

    amount: Decimal  # in all accounts
    other_amount: Decimal  # in all but the associated one
    slot: int


def read_associated(
    rpc: SolanaRpc, mint: str, token_accounts: Mapping[str, str]
) -> AssociatedAccounts:
    """Return what these associated accounts, at most MOST_ACCOUNTS, hold.

    `token_accounts` has them by owner address. One that doesn't exist holds 0; one that was given
    to another owner, or whose amount is too large or too precise, is left out. The mint is read
    too, for its supply, and to notice another network, where no account exists and all would hold
    0.
    Raises RpcUnavailable, UnusableAnswer.
    """
    wanted = [*token_accounts.values(), mint]

    def parse(slot: int, read: list[Account | None]) -> AssociatedAccounts:
        *accounts, mint_account = read
        found = AssociatedAccounts(slot, {}, [], parse_supply(check_known(mint_account)))
        for owner, account in zip(token_accounts, accounts, strict=True):
            with suppress(UnusableAmount):
                amount = _find_amount(account, mint, owner)
                if amount is None:
                    found.given_away.append(owner)
                else:
                    found.amounts[owner] = amount
        if len(found.amounts) < len(token_accounts):
            _log.warning(
                "%d of %d token accounts of the mint %s were left out: they have other owners, or"
                " amounts that are too large or too precise.",
                len(token_accounts) - len(found.amounts),
                len(token_accounts),
                mint,
            )
        return found

    try:
        return rpc.read_accounts(wanted, parse=parse)
    except RpcRefused as refused:
        raise UnusableAnswer(str(refused)) from None


def check_known(mint_account: Account | None) -> Account:
    """Raises WrongAnswer if there is no such account."""
    if mint_account is None:
        raise WrongAnswer("it does not know the mint, so it may be from another network")
    return mint_account


def read_all_accounts(
    rpc: SolanaRpc, mint: str, program: str, address: str, *, timeout_s: Seconds | None = None
) -> AllAccounts:
    """Return what an owner holds in all accounts.

    Raises NoSuchMint, UnusableAmount, RpcUnavailable, UnusableAnswer.
    """
    associated = derive_token_account(address, mint, program)

    def parse(raw: msgspec.Raw) -> AllAccounts:
        answer = msgspec.json.decode(raw, type=OwnedAccounts)
        amounts: dict[str, Decimal] = {}
        for one in answer.value:
            holding = _read_holding(one.account, mint)
            if one.account.owner != program or holding.owner != address or one.pubkey in amounts:
                raise WrongAnswer("it has another owner's account")
            amounts[one.pubkey] = read_amount(holding.token_amount)
        first = amounts.pop(associated, Decimal(0))
        others = add(*amounts.values())
        return AllAccounts(add(first, others), others, answer.context.slot)

    params = [address, {"mint": mint}, PARSED]
    with explaining_refusals(mint):
        return rpc.call("getTokenAccountsByOwner", params, parse=parse, timeout_s=timeout_s)


def _find_amount(account: Account | None, mint: str, owner: str) -> Decimal | None:
    """Return what an associated account holds; None if it was given to another owner.

    Raises WrongAnswer, UnusableAmount.
    """
    holding = find_holding(account, mint)
    if holding is None:
        return Decimal(0)
    return read_amount(holding.token_amount) if holding.owner == owner else None


def find_holding(account: Account | None, mint: str) -> Holding | None:
    """Return what a mint's token account holds; None if it does not exist. Raises WrongAnswer."""
    # Anyone can send lamports to an address before its token account is created.
    if account is None or (account.owner == SYSTEM_PROGRAM and account.data == _NO_DATA):
        return None
    return _read_holding(account, mint)


def _read_holding(account: Account, mint: str) -> Holding:
    """Raises WrongAnswer."""
    if account.owner not in TOKEN_PROGRAMS or not isinstance(account.data, ParsedData):
        raise WrongAnswer("it has another program's account")
    size = account.data.space
    if size < _ACCOUNT_BYTES or (size > _ACCOUNT_BYTES and account.owner == TOKEN_PROGRAM):
        raise WrongAnswer("it has an account of the wrong size")
    if account.data.parsed.type != "account":
        raise WrongAnswer("it has an account that holds no balance")
    holding = msgspec.json.decode(account.data.parsed.info, type=Holding)
    if holding.mint != mint:
        raise WrongAnswer("it has another mint's account")
    return holding


# The largest holders

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
            code=f"{refused.code}{refused.quoted}",
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

    def parse(_: int, read: list[Account | None]) -> LargestHolders:
        *token_accounts, mint_account = read
        supply = parse_supply(check_known(mint_account))
        amounts = _add_up(token_accounts, mint)
        by_amount = sorted(amounts, key=lambda address: (-amounts[address], address))
        return LargestHolders({address: amounts[address] for address in by_amount}, supply)

    return rpc.read_accounts(wanted, parse=parse, timeout_s=CALL_WITHIN_S)


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
