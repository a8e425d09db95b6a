"""The methods of Solana's JSON-RPC over the ledger, in the form of Agave's answers.

Sources: anza-xyz/agave rpc/src/rpc.rs, account-decoder/src/parse_token.rs.
"""

import base64
from collections.abc import Callable
from typing import Any

import base58

from chain.ledger import (
    AUTHORITY,
    SPL_TOKEN,
    SPL_TOKEN_2022,
    Ledger,
    Mint,
    OtherAccount,
    TokenAccount,
)

INVALID_PARAMS, UNKNOWN_METHOD = -32602, -32601
MAX_ACCOUNTS = 100  # in one call of getMultipleAccounts
MAX_LARGEST = 20
PROGRAM_NAMES = {SPL_TOKEN: "spl-token", SPL_TOKEN_2022: "spl-token-2022"}


class RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Methods:
    """Answers one call after the other: ``methods.answer("getSlot", [])``."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.most_accounts = MAX_ACCOUNTS
        self._by_name: dict[str, Callable[..., Any]] = {
            "getSlot": lambda *_: ledger.slot,
            "getMultipleAccounts": self._get_accounts,
            "getTokenAccountsByOwner": self._get_accounts_of_owner,
            "getTokenSupply": self._get_supply,
            "getTokenLargestAccounts": self._get_largest,
        }

    def answer(self, name: str, params: list[Any]) -> Any:
        """Return the result. Raises RpcError."""
        if name not in self._by_name:
            raise RpcError(UNKNOWN_METHOD, "Method not found")
        return self._by_name[name](*params)

    def _get_accounts(self, addresses: list[str], _: dict[str, Any]) -> Any:
        if len(addresses) > self.most_accounts:
            raise RpcError(INVALID_PARAMS, f"Too many inputs provided; max {self.most_accounts}")
        for address in addresses:
            _check_address(address)
        found = map(self._ledger.find_account, addresses)
        return self._in_context([account and _describe(account) for account in found])

    def _get_accounts_of_owner(self, owner: str, only: dict[str, str], _: dict[str, Any]) -> Any:
        _check_address(owner)
        self._find_mint(only["mint"])
        return self._in_context(
            [
                {"pubkey": address, "account": _describe(account)}
                for address, account in self._ledger.list_accounts(only["mint"]).items()
                if account.owner == owner
            ]
        )

    def _get_supply(self, mint: str, _: dict[str, Any] | None = None) -> Any:
        found = self._find_mint(mint)
        return self._in_context(_describe_amount(found, found.supply))

    def _get_largest(self, mint: str, _: dict[str, Any] | None = None) -> Any:
        found = self._find_mint(mint)
        units = {one: held.units for one, held in self._ledger.list_accounts(mint).items()}
        largest = sorted(units, key=lambda address: (-units[address], address))[:MAX_LARGEST]
        return self._in_context(
            [{"address": one} | _describe_amount(found, units[one]) for one in largest]
        )

    def _find_mint(self, mint: str) -> Mint:
        _check_address(mint)
        if self._ledger.find_account(mint) is None:
            raise RpcError(INVALID_PARAMS, "Invalid param: could not find account")
        if mint not in self._ledger.mints:
            raise RpcError(INVALID_PARAMS, "Invalid param: not a Token mint")
        return self._ledger.mints[mint]

    def _in_context(self, value: Any) -> Any:
        return {"context": {"apiVersion": "3.0.6", "slot": self._ledger.slot}, "value": value}


def _describe(account: Mint | TokenAccount | OtherAccount) -> Any:
    if isinstance(account, OtherAccount):
        data: Any = [base64.b64encode(account.data).decode(), "base64"]
        return _surround(data, account.owner, len(account.data))
    if isinstance(account, Mint):
        mint, kind, space, info = account, "mint", 82, _describe_mint(account)
    else:
        mint, kind, space = account.mint, "account", 165
        info = {
            "isNative": False,
            "mint": mint.address,
            "owner": account.owner,
            "state": "initialized",
            "tokenAmount": _describe_amount(mint, account.units),
        }
    parsed = {"info": info, "type": kind}
    data = {"parsed": parsed, "program": PROGRAM_NAMES[mint.program], "space": space}
    return _surround(data, mint.program, space)


def _surround(data: Any, program: str, space: int) -> Any:
    known = {"executable": False, "lamports": 10**8, "rentEpoch": 2**64 - 1}
    return known | {"data": data, "owner": program, "space": space}


def _describe_mint(mint: Mint) -> Any:
    return {
        "decimals": mint.decimals,
        "freezeAuthority": None,
        "isInitialized": True,
        "mintAuthority": AUTHORITY,
        "supply": str(mint.supply),
    } | ({"extensions": mint.extensions} if mint.extensions else {})


def _describe_amount(mint: Mint, units: int) -> Any:
    displayed = mint.display(units)
    return {
        "amount": str(units),
        "decimals": mint.decimals,
        "uiAmount": None if displayed == "inf" else float(displayed),  # as JSON has it
        "uiAmountString": displayed,
    }


def _check_address(address: str) -> None:
    try:
        size = len(base58.b58decode(address))
    except ValueError:
        size = 0
    if size != 32:
        raise RpcError(INVALID_PARAMS, "Invalid param: WrongSize")
