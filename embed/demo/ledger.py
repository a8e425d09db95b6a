"""The demo's ledger: made-up balances of one token, which the service reads by Solana's JSON-RPC.

It answers only the service's requests, with only the fields that the service reads.
"""

import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from embed.balances.mints import TOKEN_PROGRAM
from embed.domain.addresses import derive_token_account
from embed.domain.amounts import format_amount

DECIMALS = 6
UNITS = 10**DECIMALS
SUPPLY = 10_000_000  # more than all of the demo's wallets hold
WELCOME = Decimal(250)  # what a wallet holds when the service first asks for it


class Ledger:
    """Each wallet gets tokens when the service first asks for it, unless it's penniless."""

    def __init__(self, mint: str, amounts: Mapping[str, Decimal]) -> None:
        """Start with these amounts in whole tokens, by address."""
        self.mint = mint
        self.penniless: set[str] = set()
        self._amounts: dict[str, Decimal] = {}
        self._owners: dict[str, str] = {}  # by token account
        for address, amount in amounts.items():
            self._give(address, amount)

    def answer(self, request: Any) -> dict[str, Any]:
        envelope = {"jsonrpc": "2.0", "id": request["id"]}
        value = self._find_value(request["method"], request["params"])
        if value is None:
            # Other pages in this database may have real tokens, which this ledger doesn't have.
            message = "Only the demo's token is known here"
            return envelope | {"error": {"code": -32005, "message": message}}  # fallen behind
        slot = int(time.time() / 0.4)  # newer than those that an earlier run stored
        return envelope | {"result": {"context": {"slot": slot}, "value": value}}

    def _give(self, address: str, amount: Decimal) -> None:
        self._amounts[address] = amount
        self._owners[derive_token_account(address, self.mint, TOKEN_PROGRAM)] = address

    def _find_value(self, method: str, params: list[Any]) -> Any:
        """Return None for anything that isn't about the token."""
        match method, params:
            case "getMultipleAccounts", [accounts, *_] if self.mint in accounts:
                return [self._find_account(account) for account in accounts]
            case "getTokenAccountsByOwner", [owner, {"mint": self.mint}, *_]:
                return self._list_accounts(owner)
            case "getTokenLargestAccounts", [self.mint, *_]:
                accounts = sorted(self._owners, key=lambda one: -self._amounts[self._owners[one]])
                return [{"address": one} for one in accounts[:20]]  # as many as a node lists
        return None

    def _find_account(self, account: str) -> dict[str, Any] | None:
        if account == self.mint:
            info = {"decimals": DECIMALS, "isInitialized": True, "supply": str(SUPPLY * UNITS)}
            return _describe_parsed("mint", info, 82)
        return self._describe_account(self._owners[account]) if account in self._owners else None

    def _list_accounts(self, owner: str) -> list[dict[str, Any]]:
        if owner in self.penniless:
            return []
        if owner not in self._amounts:
            self._give(owner, WELCOME)
        account = derive_token_account(owner, self.mint, TOKEN_PROGRAM)
        return [{"pubkey": account, "account": self._describe_account(owner)}]

    def _describe_account(self, owner: str) -> dict[str, Any]:
        held = self._amounts[owner]
        units, displayed = str(int(held * UNITS)), format_amount(held)
        amount = {"amount": units, "decimals": DECIMALS, "uiAmountString": displayed}
        info = {"mint": self.mint, "owner": owner, "tokenAmount": amount}
        return _describe_parsed("account", info, 165)


def _describe_parsed(kind: str, info: dict[str, Any], size: int) -> dict[str, Any]:
    data = {"parsed": {"info": info, "type": kind}, "program": "spl-token", "space": size}
    return {"data": data, "owner": TOKEN_PROGRAM}
