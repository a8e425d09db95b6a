"""The demo's chain: a ledger of one token, which the service queries by Solana's JSON-RPC.

It supports only the service's requests, and answers only the fields that the service reads, as
Agave does (anza-xyz/agave rpc/src/rpc.rs, account-decoder/src/parse_token.rs).
"""

import random
import threading
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from embed.balances.mints import TOKEN_PROGRAM
from embed.balances.program_addresses import derive_token_account
from embed.domain.amounts import format_amount

DECIMALS = 6
UNITS = 10**DECIMALS
SUPPLY = 10_000_000  # more than all of the demo's wallets hold
WELCOME = 250 * UNITS  # what a wallet holds when the service first asks for it
SLOT_S = 0.4
NOT_NOW = -32005  # a node's error when it has fallen behind
LARGEST = 20  # accounts that a node lists


class Market:
    """A ledger where each wallet gets tokens when it's first queried, unless it's penniless."""

    def __init__(self, mint: str, amounts: Mapping[str, int]) -> None:
        """Start with these amounts in units, by address."""
        # A later run's slots must be newer than those in the database.
        self.slot = int(time.time() / SLOT_S)
        self.mint = mint
        self.penniless: set[str] = set()
        self._traders = list(amounts)
        self._units: dict[str, int] = {}
        self._owners: dict[str, str] = {}  # by token account
        self._lock = threading.Lock()
        for address, units in amounts.items():
            self._give(address, units)

    def trade(self) -> None:
        """Move a share of one wallet's tokens to another."""
        source, target = random.sample(self._traders, k=2)
        units = self._units[source] // random.randint(10, 100)  # noqa: S311 -- decoration
        self._units[source] -= units
        self._units[target] += units

    def answer(self, request: Any) -> dict[str, Any]:
        """Return the JSON-RPC answer to a request; two wallets trade before each."""
        with self._lock:
            self.slot += 1
            self.trade()
            value = self._find_value(request["method"], request["params"])
            if value is None:
                # Other pages in this database may have real tokens, which this ledger doesn't have.
                message = "Only the demo's token is known here"
                outcome: dict[str, Any] = {"error": {"code": NOT_NOW, "message": message}}
            else:
                outcome = {"result": {"context": {"slot": self.slot}, "value": value}}
        return {"jsonrpc": "2.0", "id": request["id"], **outcome}

    def _give(self, address: str, units: int) -> None:
        self._units[address] = units
        self._owners[derive_token_account(address, self.mint, TOKEN_PROGRAM)] = address

    def _find_value(self, method: str, params: list[Any]) -> Any:
        """Return None for anything that isn't in the ledger."""
        match method, params:
            case "getMultipleAccounts", [addresses, *_] if self.mint in addresses:
                return [self._find_account(address) for address in addresses]
            case "getTokenAccountsByOwner", [owner, {"mint": self.mint}, *_]:
                return self._list_accounts(owner)
            case "getTokenLargestAccounts", [self.mint, *_]:
                accounts = sorted(self._owners, key=lambda one: -self._units[self._owners[one]])
                return [
                    {"address": one} | _describe_amount(self._units[self._owners[one]])
                    for one in accounts[:LARGEST]
                ]
        return None

    def _find_account(self, address: str) -> dict[str, Any] | None:
        if address == self.mint:
            info = {"decimals": DECIMALS, "isInitialized": True, "supply": str(SUPPLY * UNITS)}
            return _describe_parsed("mint", info)
        if address in self._owners:
            return self._describe_account(self._owners[address])
        return None

    def _list_accounts(self, owner: str) -> list[dict[str, Any]]:
        if owner in self.penniless:
            return []
        if owner not in self._units:
            self._give(owner, WELCOME)
        pubkey = derive_token_account(owner, self.mint, TOKEN_PROGRAM)
        return [{"pubkey": pubkey, "account": self._describe_account(owner)}]

    def _describe_account(self, owner: str) -> dict[str, Any]:
        amount = _describe_amount(self._units[owner])
        info = {"mint": self.mint, "owner": owner, "tokenAmount": amount}
        return _describe_parsed("account", info)


def _describe_amount(units: int) -> dict[str, Any]:
    displayed = format_amount(Decimal(units) / UNITS)
    return {"amount": str(units), "decimals": DECIMALS, "uiAmountString": displayed}


def _describe_parsed(kind: str, info: dict[str, Any]) -> dict[str, Any]:
    size = {"mint": 82, "account": 165}[kind]
    data = {"parsed": {"info": info, "type": kind}, "program": "spl-token", "space": size}
    return {"data": data, "owner": TOKEN_PROGRAM}
